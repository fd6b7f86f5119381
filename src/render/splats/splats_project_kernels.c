/* Spheres into the camera's picture and the light's: centre, exact bounds, sort key. */
#include "core/simd.h"
#include "render/splats/splats.h"

/* Whole pixels of bounds that are already within the picture. */
static void store_rects(SlRect *rect, I8 keep, F8 x0, F8 y0, F8 x1, F8 y1)
{
    I8 ix0 = i8_from_f8(x0), iy0 = i8_from_f8(y0), ix1 = i8_from_f8(x1), iy1 = i8_from_f8(y1);
    for (int k = 0; k < 8; k++)
        rect[k] = keep[k] ? (SlRect){(int16_t)ix0[k], (int16_t)iy0[k], (int16_t)ix1[k],
                                     (int16_t)iy1[k]}
                          : (SlRect){0, 0, -1, -1};
}

/* Slopes of the two tangents to a circle of radius r around (a, z), z > r. */
static inline void tangents(F8 a, F8 z, F8 r, F8 *low, F8 *high)
{
    F8 inverse = f8(1) / ((z - r) * (z + r));
    F8 root = r * f8_sqrt(f8_max(f8_fma(a, a, (z - r) * (z + r)), f8(0)));
    *low = (a * z - root) * inverse;
    *high = (a * z + root) * inverse;
}

static void project_camera(const SlSplatFrame *frame, size_t begin, size_t end)
{
    const SlCameraFrame *c = &frame->camera;
    F8 focal = f8(c->focal), cx = f8(c->center_x), cy = f8(c->center_y);
    F8 right = f8((float)frame->width - 1), bottom = f8((float)frame->height - 1);
    for (size_t i = begin; i < end; i += 8) {
        F8x4 w = f8x4_load(frame->world + 4 * i), v;
        F8x3 from = {w.x - f8(c->eye.x), w.y - f8(c->eye.y), w.z - f8(c->eye.z)};
        F8x3 axis[3] = {{f8(c->right.x), f8(c->right.y), f8(c->right.z)},
                        {f8(c->up.x), f8(c->up.y), f8(c->up.z)},
                        {f8(c->forward.x), f8(c->forward.y), f8(c->forward.z)}};
        v.x = f8x3_dot(from, axis[0]);
        v.y = f8x3_dot(from, axis[1]);
        v.z = f8x3_dot(from, axis[2]);
        /* Never thinner than most of a pixel: far particles would flicker between samples. */
        v.w = f8_max(f8(0.6f) * v.z / focal, w.w);
        f8x4_store(frame->record + 4 * i, v);
        /* A sphere that the camera's plane cuts is not drawn. */
        I8 keep = (v.z > v.w * f8(1.001f)) & (v.z < f8(1e15f));
        F8 x0, x1, y0, y1;
        tangents(v.x, v.z, v.w, &x0, &x1);
        tangents(v.y, v.z, v.w, &y0, &y1);
        F8 px0 = f8_fma(x0, focal, cx), px1 = f8_fma(x1, focal, cx);
        F8 py0 = cy - y1 * focal, py1 = cy - y0 * focal;
        keep &= (px1 > f8(0)) & (px0 < right + f8(1)) & (py1 > f8(0)) & (py0 < bottom + f8(1));
        store_rects(frame->rect + i, keep, f8_max(px0, f8(0)), f8_max(py0, f8(0)),
                    f8_min(px1, right), f8_min(py1, bottom));
        /* Bits of a positive float order as it does. */
        U8 key = (U8)f8_max(v.z - v.w, f8(0)) >> 7;
        u8_store(frame->key + i, (key & (U8)keep) | (u8(0xffffff) & ~(U8)keep));
    }
}

static void project_light(const SlSplatFrame *frame, size_t begin, size_t end)
{
    const SlShadow *s = &frame->shadow;
    F8 edge = f8((float)s->size - 1), scale = f8(1 / s->texel);
    for (size_t i = begin; i < end; i += 8) {
        F8x4 w = f8x4_load(frame->world + 4 * i), v;
        F8x3 p = {w.x, w.y, w.z};
        F8 *out[3] = {&v.x, &v.y, &v.z};
        for (int k = 0; k < 3; k++) {
            const float *row = s->world_row[k];
            *out[k] = f8x3_dot(p, (F8x3){f8(row[0]), f8(row[1]), f8(row[2])}) + f8(row[3]);
        }
        v.w = w.w;
        f8x4_store(frame->light_record + 4 * i, v);
        F8 r = f8_max(v.w * scale, f8(0.6f));
        I8 keep = (v.x + r > f8(0)) & (v.x - r < edge + f8(1)) & (v.y + r > f8(0)) &
                  (v.y - r < edge + f8(1)) & (f8_abs(v.z) < f8(1e15f));
        store_rects(frame->light_rect + i, keep, f8_max(v.x - r, f8(0)), f8_max(v.y - r, f8(0)),
                    f8_min(v.x + r, edge), f8_min(v.y + r, edge));
    }
}

SL_KERNEL_TABLE(SlProjectKernels, sl_project_kernels) = {project_camera, project_light};
