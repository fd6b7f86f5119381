/* How surfaces scatter light. Directions point away from the surface and have unit length; n is the
   shading normal on the side of the viewer.

     diffuse   a / π
     coated    a GGX layer [Walter 2007], sampled by visible normals [Heitz 2018], over a diffuse base; what
               the layer reflects is missing below it [Kelemen 2001], so no light is lost or made
     clear     a smooth dielectric: mirror and refraction; handled by the integrator */
#ifndef RENDER_PATH_BSDF_H
#define RENDER_PATH_BSDF_H

#include "math/vec3.h"
#include "render/path/sampler.h"

typedef enum SlBsdfKind { SL_BSDF_DIFFUSE, SL_BSDF_COATED, SL_BSDF_CLEAR, SL_BSDF_LIGHT } SlBsdfKind;

enum { SL_COAT_ENTRIES = 33 };
#define SL_PI 3.14159265358979f

typedef enum SlPattern { SL_PATTERN_NONE, SL_PATTERN_TILES, SL_PATTERN_SNOW } SlPattern;

typedef struct SlPathMaterial {
    SlBsdfKind kind;
    SlPattern pattern;  /* of the ground */
    SlVec3 color;       /* reflectance of the diffuse part; of a light: its radiance */
    float alpha;        /* GGX width of the coat */
    float index;        /* of refraction */
    SlVec3 absorption;  /* 1/m, within a clear one */
    int priority;       /* of overlapping clear materials the higher counts */
    bool caustics;      /* light that clear surfaces bend onto it comes from the photon map */
    bool pane;          /* of a tank: what is behind it gives albedo and normal */
    uint16_t wet;       /* number of the material that it is where it is wet; 0: the same */
    bool translucent;   /* half of the light passes to the other side: foam */
    float reflected[SL_COAT_ENTRIES]; /* by the coat, over the cosine in equal steps */
    float mean_reflected;             /* of light from all sides */
} SlPathMaterial;

/* Reflectance of a smooth dielectric at a cosine >= 0; index: of the far side over the near one.
   *inner becomes the cosine of the refracted direction, 0 where all is reflected. */
float sl_fresnel(float cosine, float index, float *inner);
/* Fills the tables of a coated material; kind, alpha and index are set. */
void sl_coat_tables(SlPathMaterial *material);
/* f(out, in) × 1, without the cosine; zero below the surface. `albedo`: in place of material->color. */
SlVec3 sl_bsdf_value(const SlPathMaterial *material, SlVec3 albedo, SlVec3 n, SlVec3 out, SlVec3 in);
/* Density of sl_bsdf_sample per solid angle. */
float sl_bsdf_density(const SlPathMaterial *material, SlVec3 n, SlVec3 out, SlVec3 in);
/* A direction; *weight becomes f cos / density. False: no light goes on. */
bool sl_bsdf_sample(const SlPathMaterial *material, SlVec3 albedo, const SlVec3 directions[2],
                    SlPathSampler *sampler, SlVec3 *in, SlVec3 *weight);

static inline SlVec3 sl_mul(SlVec3 a, SlVec3 b)
{
    return (SlVec3){a.x * b.x, a.y * b.y, a.z * b.z};
}

static inline float sl_max3(SlVec3 a)
{
    return fmaxf(a.x, fmaxf(a.y, a.z));
}

static inline float sl_luminance(SlVec3 a)
{
    return 0.2126f * a.x + 0.7152f * a.y + 0.0722f * a.z;
}

#endif
