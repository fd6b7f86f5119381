/* Frames and checkpoints written behind a running simulation. */
#include "io/sources.h"
#include "core/cookies.h"
#include "sleet/checkpoint.h"

struct SlWriter {
    SlContext *context;
    SlWriterDef def;
    SlEncoder *encoder;
    SlFileQueue *queue;
    uint64_t bytes;
};

SlWriterDef sl_default_writer_def(void)
{
    return (SlWriterDef){SL_DEF_HEAD(WRITER, SlWriterDef)};
}

SlStatus sl_writer_create(SlContext *context, const SlWriterDef *def, SlWriter **out,
                          SlError *error)
{
    *out = NULL;
    if (!SL_DEF_VALID(def, WRITER))
        return sl_error_set(error, SL_ERROR_ARGUMENT,
                            "writer definition not made by sl_default_writer_def");
    SlWriter *writer = sl_alloc_zero(&context->memory, 1, sizeof *writer);
    if (writer == NULL)
        return sl_error_set(error, SL_ERROR_MEMORY, "no memory for a writer");
    writer->context = context;
    writer->def = *def;
    SlStatus status = sl_encoder_create(context, &writer->encoder, error);
    if (status == SL_OK)
        status =
            sl_file_queue_create(&context->memory, &context->file_layer, &writer->queue, error);
    if (status != SL_OK) {
        sl_writer_destroy(writer);
        return status;
    }
    *out = writer;
    return SL_OK;
}

static SlStatus hand_over(SlWriter *writer, const char *path, const SlContainerHeader *head,
                          const SlSource *sources, size_t count, SlError *error)
{
    size_t bytes;
    SlStatus status =
        sl_container_encode(writer->encoder, head, sources, count, writer->queue, &bytes, error);
    if (status != SL_OK)
        return status;
    writer->bytes += bytes;
    sl_file_queue_write(writer->queue, path, bytes);
    return SL_OK;
}

SlStatus sl_writer_frame(SlWriter *writer, const char *path, const SlFrameView *view,
                         SlError *error)
{
    SlContainerHeader head;
    SlSource *sources;
    size_t count;
    SlStatus status = sl_frame_sources(writer->context, view, writer->def.quantise, &head,
                                       &sources, &count, error);
    return status == SL_OK ? hand_over(writer, path, &head, sources, count, error) : status;
}

SlStatus sl_writer_checkpoint(SlWriter *writer, const char *path, const SlStateView *state,
                              SlError *error)
{
    SlContainerHeader head;
    SlSource *sources;
    size_t count;
    SlStatus status =
        sl_checkpoint_sources(writer->context, state, &head, &sources, &count, error);
    return status == SL_OK ? hand_over(writer, path, &head, sources, count, error) : status;
}

SlStatus sl_writer_wait(SlWriter *writer, SlError *error)
{
    return sl_file_queue_wait(writer->queue, error);
}

uint64_t sl_writer_bytes(const SlWriter *writer)
{
    return writer->bytes;
}

void sl_writer_destroy(SlWriter *writer)
{
    if (writer == NULL)
        return;
    sl_file_queue_destroy(writer->queue);
    sl_encoder_destroy(writer->encoder);
    sl_free(&writer->context->memory, writer, sizeof *writer);
}
