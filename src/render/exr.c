/* EXR files by OpenEXRCore: the planes of a target as layers of one scanline part with zip compression,
   and RGB images of floats, read from untrusted files.

   Files are made and read in memory: what is written gets its name at once (core/file.h), and what is
   read is bounded by its size. OpenEXRCore allocates by malloc: its hook has no room for a context. */
#include <stdio.h>
#include <string.h>

#include "config.h"
#include "core/context.h"
#include "render/float_image.h"
#include "render/target.h"

#if SLEET_HAVE_EXR
#include <openexr.h>

enum { MAX_SIDE = 32768, MAX_CHANNELS = 64, NAME_BYTES = 48 };
/* Deflate makes at most 1032 bytes from one, and a pixel has at least 2; no other compression of the
   format gives more. */
enum { MAX_PIXELS_PER_BYTE = 520 };

/* What a context of the library works on. */
typedef struct Stream {
    SlMemory *memory; /* of bytes that are written */
    unsigned char *bytes;
    uint64_t used, room;
    bool out_of_memory;
    char message[256]; /* the library's last error */
} Stream;

static Stream *stream_of(exr_const_context_t exr)
{
    void *user = NULL;
    return exr_get_user_data(exr, &user) == EXR_ERR_SUCCESS ? user : NULL;
}

static void note_error(exr_const_context_t exr, exr_result_t code, const char *text)
{
    (void)code;
    Stream *stream = exr != NULL ? stream_of(exr) : NULL;
    if (stream != NULL)
        snprintf(stream->message, sizeof stream->message, "%s", text);
}

static int64_t write_bytes(exr_const_context_t exr, void *user, const void *data, uint64_t size,
                           uint64_t offset, exr_stream_error_func_ptr_t failed)
{
    (void)exr;
    (void)failed;
    Stream *stream = user;
    uint64_t end = offset + size;
    if (end > stream->room) {
        uint64_t room = end + end / 2;
        void *grown = sl_regrow(stream->memory, stream->bytes, stream->room, room, stream->used);
        stream->out_of_memory = grown == NULL;
        if (grown == NULL)
            return -1;
        stream->bytes = grown;
        stream->room = room;
    }
    if (offset > stream->used)
        memset(stream->bytes + stream->used, 0, offset - stream->used);
    memcpy(stream->bytes + offset, data, size);
    stream->used = end > stream->used ? end : stream->used;
    return (int64_t)size;
}

static int64_t read_bytes(exr_const_context_t exr, void *user, void *data, uint64_t size,
                          uint64_t offset, exr_stream_error_func_ptr_t failed)
{
    (void)exr;
    (void)failed;
    const Stream *stream = user;
    if (offset >= stream->used)
        return 0;
    uint64_t count = size < stream->used - offset ? size : stream->used - offset;
    memcpy(data, stream->bytes + offset, count);
    return (int64_t)count;
}

static int64_t stream_size(exr_const_context_t exr, void *user)
{
    (void)exr;
    return (int64_t)((const Stream *)user)->used;
}

/* --- Writing. --- */

/* Layers by the names that other programs look for; planes without a row are NAME.X, .Y, .Z. */
static const struct {
    const char *plane, *prefix, *channels;
} layers[] = {{"color", "", "RGB"}, {"depth", "", "Z"}, {"albedo", "albedo.", "RGB"}};

typedef struct Channel {
    char name[NAME_BYTES];
    const float *data; /* of the first pixel */
    uint32_t stride;   /* floats per pixel */
    bool half;
} Channel;

/* Depth and velocity have a range and precision that half lacks. */
static bool is_half(const char *plane, SlExrType type)
{
    return type == SL_EXR_HALF && strcmp(plane, "depth") != 0 && strcmp(plane, "velocity") != 0;
}

static size_t list_channels(const SlTarget *target, SlExrType type, Channel *channels)
{
    size_t count = 0;
    const SlPlaneInfo *info;
    for (size_t k = 0; (info = sl_target_plane_info(target, k)) != NULL; k++) {
        const char *letters = "XYZ";
        char prefix[NAME_BYTES - 2];
        snprintf(prefix, sizeof prefix, "%s.", info->name);
        for (size_t l = 0; l < sizeof layers / sizeof layers[0]; l++)
            if (strcmp(layers[l].plane, info->name) == 0) {
                letters = layers[l].channels;
                snprintf(prefix, sizeof prefix, "%s", layers[l].prefix);
            }
        SL_ASSERT(info->channels <= 3 && count + info->channels <= MAX_CHANNELS);
        for (uint32_t c = 0; c < info->channels; c++, count++) {
            channels[count] = (Channel){.data = sl_target_plane(target, info->name) + c,
                                        .stride = info->channels,
                                        .half = is_half(info->name, type)};
            snprintf(channels[count].name, NAME_BYTES, "%s%c", prefix, letters[c]);
        }
    }
    return count;
}

static exr_result_t write_header(exr_context_t exr, const SlTarget *target, const Channel *channels,
                                 size_t count)
{
    int part;
    exr_result_t result = exr_add_part(exr, "", EXR_STORAGE_SCANLINE, &part);
    if (result == EXR_ERR_SUCCESS)
        result = exr_initialize_required_attr_simple(exr, part, (int32_t)sl_target_width(target),
                                                     (int32_t)sl_target_height(target),
                                                     EXR_COMPRESSION_ZIP);
    for (size_t k = 0; result == EXR_ERR_SUCCESS && k < count; k++)
        result = exr_add_channel(exr, part, channels[k].name,
                                 channels[k].half ? EXR_PIXEL_HALF : EXR_PIXEL_FLOAT,
                                 EXR_PERCEPTUALLY_LOGARITHMIC, 1, 1);
    return result == EXR_ERR_SUCCESS ? exr_write_header(exr) : result;
}

/* Points the encoder's channels, which are sorted by name, at the rows from y on. */
static void aim_channels(exr_encode_pipeline_t *encoder, const Channel *channels, size_t count,
                         uint32_t width, uint32_t y)
{
    for (int16_t e = 0; e < encoder->channel_count; e++)
        for (size_t k = 0; k < count; k++) {
            exr_coding_channel_info_t *to = &encoder->channels[e];
            if (strcmp(to->channel_name, channels[k].name) != 0)
                continue;
            size_t row = (size_t)width * channels[k].stride;
            to->encode_from_ptr = (const uint8_t *)(channels[k].data + y * row);
            to->user_bytes_per_element = sizeof(float);
            to->user_data_type = EXR_PIXEL_FLOAT;
            to->user_pixel_stride = (int32_t)(channels[k].stride * sizeof(float));
            to->user_line_stride = (int32_t)(row * sizeof(float));
        }
}

static exr_result_t write_rows(exr_context_t exr, const SlTarget *target, const Channel *channels,
                               size_t count)
{
    exr_encode_pipeline_t encoder = EXR_ENCODE_PIPELINE_INITIALIZER;
    int32_t rows = 1;
    exr_result_t result = exr_get_scanlines_per_chunk(exr, 0, &rows);
    uint32_t height = sl_target_height(target);
    bool ready = false;
    for (uint32_t y = 0; result == EXR_ERR_SUCCESS && y < height; y += (uint32_t)rows) {
        exr_chunk_info_t chunk;
        result = exr_write_scanline_chunk_info(exr, 0, (int)y, &chunk);
        if (result == EXR_ERR_SUCCESS)
            result = ready ? exr_encoding_update(exr, 0, &chunk, &encoder)
                           : exr_encoding_initialize(exr, 0, &chunk, &encoder);
        if (result != EXR_ERR_SUCCESS)
            break;
        aim_channels(&encoder, channels, count, sl_target_width(target), y);
        if (!ready)
            result = exr_encoding_choose_default_routines(exr, 0, &encoder);
        ready = true;
        if (result == EXR_ERR_SUCCESS)
            result = exr_encoding_run(exr, 0, &encoder);
    }
    exr_encoding_destroy(exr, &encoder);
    return result;
}

SlStatus sl_target_write_exr(const SlTarget *target, const char *path, SlExrType type,
                             SlError *error)
{
    SlContext *context = sl_target_context(target);
    Stream stream = {.memory = &context->memory};
    Channel channels[MAX_CHANNELS];
    size_t count = list_channels(target, type, channels);
    if (count == 0)
        return sl_error_set(error, SL_ERROR_ARGUMENT, "%.300s: the target has no planes", path);
    exr_context_initializer_t start = EXR_DEFAULT_CONTEXT_INITIALIZER;
    start.error_handler_fn = note_error;
    start.user_data = &stream;
    start.write_fn = write_bytes;
    exr_context_t exr = NULL;
    exr_result_t result = exr_start_write(&exr, path, EXR_WRITE_FILE_DIRECTLY, &start);
    if (result == EXR_ERR_SUCCESS)
        result = write_header(exr, target, channels, count);
    if (result == EXR_ERR_SUCCESS)
        result = write_rows(exr, target, channels, count);
    if (exr != NULL) {
        exr_result_t ended = exr_finish(&exr);
        result = result == EXR_ERR_SUCCESS ? ended : result;
    }
    SlStatus status;
    if (result == EXR_ERR_SUCCESS)
        status = sl_file_write(&context->file_layer, path, stream.bytes, stream.used, error);
    else
        status = sl_error_set(error, SL_ERROR_MEMORY, "%.300s: the picture cannot be encoded (%s)",
                              path,
                              stream.out_of_memory ? "no memory"
                                                   : exr_get_default_error_message(result));
    if (stream.bytes != NULL)
        sl_free(stream.memory, stream.bytes, stream.room);
    return status;
}

/* --- Reading. --- */

enum { GREY = 3 };

/* Which of R, G, B, Y a channel with one value per pixel is, or -1. */
static int color_index(const char *name, int32_t x_samples, int32_t y_samples)
{
    static const char *const names[] = {"R", "G", "B", "Y"};
    for (int k = 0; k <= GREY && x_samples == 1 && y_samples == 1; k++)
        if (strcmp(name, names[k]) == 0)
            return k;
    return -1;
}

typedef struct Window {
    int32_t x, y, width, height; /* of the data */
    bool color;                  /* R, G and B are read, else Y */
    float *other;                /* values of the other channels, which are not used */
} Window;

/* Points the decoder's channels at a part of the image. Other channels need a place too: OpenEXRCore 3.1
   writes to those without one. */
static void aim_decoder(exr_decode_pipeline_t *decoder, const Window *w, const SlFloatImage *image,
                        int64_t pixel)
{
    for (int16_t c = 0; c < decoder->channel_count; c++) {
        exr_coding_channel_info_t *from = &decoder->channels[c];
        int k = color_index(from->channel_name, from->x_samples, from->y_samples);
        bool is_read = w->color ? k >= 0 && k < GREY : k == GREY;
        float *to = is_read ? image->pixels + 3 * pixel + (w->color ? k : 0) : w->other + pixel;
        int32_t stride = (is_read ? 3 : 1) * (int32_t)sizeof(float);
        from->decode_to_ptr = (uint8_t *)to;
        from->user_bytes_per_element = sizeof(float);
        from->user_data_type = EXR_PIXEL_FLOAT;
        from->user_pixel_stride = stride;
        from->user_line_stride = stride * (int32_t)image->width;
    }
}

/* Decodes one chunk to where it belongs. The pipeline is made anew for each: files are untrusted, and
   a chunk may differ from the last in every way. */
static exr_result_t read_chunk(exr_context_t exr, const exr_chunk_info_t *chunk, const Window *w,
                               int64_t pixel, const SlFloatImage *image)
{
    exr_decode_pipeline_t decoder = EXR_DECODE_PIPELINE_INITIALIZER;
    exr_result_t result = exr_decoding_initialize(exr, 0, chunk, &decoder);
    if (result == EXR_ERR_SUCCESS) {
        aim_decoder(&decoder, w, image, pixel);
        result = exr_decoding_choose_default_routines(exr, 0, &decoder);
    }
    if (result == EXR_ERR_SUCCESS)
        result = exr_decoding_run(exr, 0, &decoder);
    exr_decoding_destroy(exr, &decoder);
    return result;
}

static exr_result_t read_rows(exr_context_t exr, const Window *w, const SlFloatImage *image)
{
    int32_t rows = 1;
    exr_result_t result = exr_get_scanlines_per_chunk(exr, 0, &rows);
    if (rows < 1)
        return EXR_ERR_INVALID_ATTR;
    for (int32_t y = 0; result == EXR_ERR_SUCCESS && y < w->height; y += rows) {
        exr_chunk_info_t chunk;
        result = exr_read_scanline_chunk_info(exr, 0, w->y + y, &chunk);
        if (result != EXR_ERR_SUCCESS)
            return result;
        int64_t first = (int64_t)chunk.start_y - w->y;
        if (first < 0 || chunk.height < 1 || first + chunk.height > w->height ||
            chunk.width != w->width)
            return EXR_ERR_BAD_CHUNK_LEADER;
        result = read_chunk(exr, &chunk, w, first * w->width, image);
    }
    return result;
}

static exr_result_t read_tiles(exr_context_t exr, const Window *w, const SlFloatImage *image)
{
    int32_t width = 0, height = 0;
    exr_result_t result = exr_get_tile_sizes(exr, 0, 0, 0, &width, &height);
    if (result == EXR_ERR_SUCCESS && (width < 1 || height < 1))
        return EXR_ERR_INVALID_ATTR;
    for (int32_t y = 0; result == EXR_ERR_SUCCESS && y * (int64_t)height < w->height; y++)
        for (int32_t x = 0; result == EXR_ERR_SUCCESS && x * (int64_t)width < w->width; x++) {
            exr_chunk_info_t chunk;
            result = exr_read_tile_chunk_info(exr, 0, x, y, 0, 0, &chunk);
            if (result != EXR_ERR_SUCCESS)
                return result;
            int64_t left = (int64_t)x * width, top = (int64_t)y * height;
            if (chunk.width < 1 || chunk.height < 1 || left + chunk.width > w->width ||
                top + chunk.height > w->height)
                return EXR_ERR_BAD_CHUNK_LEADER;
            result = read_chunk(exr, &chunk, w, top * w->width + left, image);
        }
    return result;
}

static SlStatus bad_file(const char *path, const Stream *stream, exr_result_t result,
                         SlError *error)
{
    return sl_error_set(error,
                        result == EXR_ERR_OUT_OF_MEMORY ? SL_ERROR_MEMORY : SL_ERROR_PARSE,
                        "%.300s: the EXR file cannot be read (%.120s)", path,
                        stream->message[0] != '\0' ? stream->message
                                                   : exr_get_default_error_message(result));
}

/* Which of R, G, B, Y the first part has. */
static void find_colors(exr_context_t exr, bool found[GREY + 1])
{
    const exr_attr_chlist_t *list;
    if (exr_get_channels(exr, 0, &list) != EXR_ERR_SUCCESS)
        return;
    for (int c = 0; c < list->num_channels; c++) {
        const exr_attr_chlist_entry_t *channel = &list->entries[c];
        int k = color_index(channel->name.str, channel->x_sampling, channel->y_sampling);
        if (k >= 0)
            found[k] = true;
    }
}

static SlStatus read_part(SlContext *context, exr_context_t exr, const char *path,
                          const Stream *stream, SlFloatImage *image, SlError *error)
{
    exr_attr_box2i_t box;
    exr_storage_t storage;
    exr_result_t result = exr_get_data_window(exr, 0, &box);
    if (result == EXR_ERR_SUCCESS)
        result = exr_get_storage(exr, 0, &storage);
    if (result != EXR_ERR_SUCCESS)
        return bad_file(path, stream, result, error);
    int64_t width = (int64_t)box.max.x - box.min.x + 1, height = (int64_t)box.max.y - box.min.y + 1;
    if (width < 1 || height < 1 || width > MAX_SIDE || height > MAX_SIDE)
        return sl_error_set(error, SL_ERROR_PARSE,
                            "%.300s: the picture has %lld × %lld pixels; 1 to %d a side are read",
                            path, (long long)width, (long long)height, MAX_SIDE);
    if (storage != EXR_STORAGE_SCANLINE && storage != EXR_STORAGE_TILED)
        return sl_error_set(error, SL_ERROR_PARSE,
                            "%.300s: deep EXR files are not read; only scanlines and tiles", path);
    if (width * height > MAX_PIXELS_PER_BYTE * (int64_t)stream->used)
        return sl_error_set(error, SL_ERROR_PARSE,
                            "%.300s: the file is too short for its %lld × %lld pixels", path,
                            (long long)width, (long long)height);
    bool found[GREY + 1] = {false};
    find_colors(exr, found);
    Window window = {box.min.x, box.min.y, (int32_t)width, (int32_t)height,
                     .color = found[0] && found[1] && found[2]};
    if (!window.color && !found[GREY])
        return sl_error_set(error, SL_ERROR_PARSE,
                            "%.300s: has no channels R, G, B or Y, one value per pixel each", path);
    SlStatus status =
        sl_float_image_create(context, (uint32_t)width, (uint32_t)height, image, error);
    if (status != SL_OK)
        return status;
    size_t other_bytes = sizeof(float) * (size_t)width * (size_t)height;
    window.other = sl_alloc(&context->memory, other_bytes);
    if (window.other == NULL)
        return bad_file(path, stream, EXR_ERR_OUT_OF_MEMORY, error);
    result = storage == EXR_STORAGE_TILED ? read_tiles(exr, &window, image)
                                          : read_rows(exr, &window, image);
    sl_free(&context->memory, window.other, other_bytes);
    if (result != EXR_ERR_SUCCESS)
        return bad_file(path, stream, result, error);
    if (!window.color)
        for (size_t k = 0; k < (size_t)image->width * image->height; k++)
            image->pixels[3 * k + 1] = image->pixels[3 * k + 2] = image->pixels[3 * k];
    return SL_OK;
}

SlStatus sl_exr_decode(SlContext *context, const char *path, char *data, size_t bytes,
                       SlFloatImage *image, SlError *error)
{
    *image = (SlFloatImage){0};
    Stream stream = {.bytes = (unsigned char *)data, .used = bytes};
    exr_context_initializer_t start = EXR_DEFAULT_CONTEXT_INITIALIZER;
    start.error_handler_fn = note_error;
    start.user_data = &stream;
    start.read_fn = read_bytes;
    start.size_fn = stream_size;
    start.max_image_width = start.max_image_height = MAX_SIDE;
    start.max_tile_width = start.max_tile_height = MAX_SIDE;
    start.flags = EXR_CONTEXT_FLAG_DISABLE_CHUNK_RECONSTRUCTION;
    exr_context_t exr = NULL;
    exr_result_t result = exr_start_read(&exr, path, &start);
    SlStatus status = result == EXR_ERR_SUCCESS
                          ? read_part(context, exr, path, &stream, image, error)
                          : bad_file(path, &stream, result, error);
    if (exr != NULL)
        exr_finish(&exr);
    if (status != SL_OK)
        sl_float_image_destroy(context, image);
    return status;
}

#else

SlStatus sl_target_write_exr(const SlTarget *target, const char *path, SlExrType type,
                             SlError *error)
{
    (void)target;
    (void)type;
    return sl_error_set(error, SL_ERROR_UNSUPPORTED,
                        "%.300s: this Sleet was built without OpenEXR; install libopenexr-dev and "
                        "build again to write EXR files",
                        path);
}

SlStatus sl_exr_decode(SlContext *context, const char *path, char *data, size_t bytes,
                       SlFloatImage *image, SlError *error)
{
    (void)context;
    (void)data;
    (void)bytes;
    *image = (SlFloatImage){0};
    return sl_error_set(error, SL_ERROR_UNSUPPORTED,
                        "%.300s: this Sleet was built without OpenEXR; install libopenexr-dev and "
                        "build again to read EXR files",
                        path);
}

#endif
