/* Candidates for surface sampling: 40 A / (π r²) of them, spread by area, and a few more along the
   length of every triangle. Shares come from a prefix sum of areas, so each triangle's number is
   within one of its share, and places are stratified inside a triangle.

   The strip along the length is why no hole can stay: a needle, the tip of a spike or a crumb of a
   mesh has too little area for a share, yet every half radius of its length has a candidate. */
#include "core/random.h"
#include "geometry/sample_parts.h"

enum { CHUNK = 2048 };

static const double candidates_per_disk = 40; /* Bowers' N0 = 40 A / (π r²) */

typedef struct Wide {
    double x, y, z;
} Wide;

static Wide wide(SlVec3 a)
{
    return (Wide){(double)a.x, (double)a.y, (double)a.z};
}

static Wide edge(SlVec3 from, SlVec3 to)
{
    Wide a = wide(from), b = wide(to);
    return (Wide){b.x - a.x, b.y - a.y, b.z - a.z};
}

static double length_of(Wide a)
{
    return sqrt(a.x * a.x + a.y * a.y + a.z * a.z);
}

/* The corner where the two longest sides meet: a triangle's length runs from there. */
static int tip_of(const SlVec3 corner[3])
{
    int tip = 0;
    double least = INFINITY;
    for (int k = 0; k < 3; k++) {
        double side = length_of(edge(corner[(k + 1) % 3], corner[(k + 2) % 3]));
        if (side < least) {
            least = side;
            tip = k;
        }
    }
    return tip;
}

/* In double: the cross product of a needle's sides has few good bits left in float. */
static void measure_triangles(void *argument, size_t begin, size_t end, size_t chunk)
{
    (void)chunk;
    const SlSampling *s = argument;
    for (size_t t = begin; t < end; t++) {
        SlVec3 c[3] = {sl_mesh_corner(s->mesh, t, 0), sl_mesh_corner(s->mesh, t, 1),
                       sl_mesh_corner(s->mesh, t, 2)};
        Wide u = edge(c[0], c[1]), v = edge(c[0], c[2]), w = edge(c[1], c[2]);
        Wide n = {u.y * v.z - u.z * v.y, u.z * v.x - u.x * v.z, u.x * v.y - u.y * v.x};
        double twice = length_of(n);
        double most = fmax(length_of(u), fmax(length_of(v), length_of(w)));
        /* What rounding alone gives a triangle on a line is no area. */
        bool flat = !(twice > 1e-14 * most * most);
        s->plan.areas[t] = flat ? 0 : 0.5 * twice;
        s->plan.normals[t] = flat ? sl_vec3(0, 1, 0)
                                  : sl_vec3((float)(n.x / twice), (float)(n.y / twice),
                                            (float)(n.z / twice));
        /* Bounded only for the type's sake: the caller refuses far fewer. */
        double strips = fmin(fmax(ceil(2 * most / (double)s->radius), 1), 2e9);
        s->plan.strips[t] = flat ? 0 : (uint32_t)strips;
    }
}

static void add_to_bounds(SlBox *box, const SlMesh *mesh, size_t triangle)
{
    for (int k = 0; k < 3; k++) {
        SlVec3 p = sl_mesh_corner(mesh, triangle, k);
        box->min = sl_vec3(fminf(box->min.x, p.x), fminf(box->min.y, p.y), fminf(box->min.z, p.z));
        box->max = sl_vec3(fmaxf(box->max.x, p.x), fmaxf(box->max.y, p.y), fmaxf(box->max.z, p.z));
    }
}

bool sl_sample_plan(SlSampling *s)
{
    SlSamplePlan *plan = &s->plan;
    size_t triangles = s->mesh->triangle_count;
    plan->normals = SL_PUSH(s->arena, SlVec3, triangles);
    plan->areas = SL_PUSH(s->arena, double, triangles);
    plan->starts = SL_PUSH(s->arena, uint64_t, triangles + 1);
    plan->strips = SL_PUSH(s->arena, uint32_t, triangles);
    if (plan->normals == NULL || plan->areas == NULL || plan->starts == NULL ||
        plan->strips == NULL)
        return false;
    sl_parallel_for(s->context->pool, triangles, CHUNK, measure_triangles, s);
    plan->bounds = (SlBox){{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    double disk = 3.14159265358979324 * (double)s->radius * (double)s->radius;
    double area = 0;
    uint64_t strips = 0;
    for (size_t t = 0; t < triangles; t++) {
        /* A share beyond 2^62 is refused by the caller; it must not wrap here. */
        plan->starts[t] = strips + (uint64_t)fmin(area / disk * candidates_per_disk, 0x1p62);
        area += plan->areas[t];
        strips += plan->strips[t];
        if (plan->areas[t] > 0)
            add_to_bounds(&plan->bounds, s->mesh, t);
    }
    plan->total_area = area;
    plan->count = strips + (uint64_t)fmin(area / disk * candidates_per_disk, 0x1p62);
    plan->starts[triangles] = plan->count;
    return true;
}

/* First triangle whose candidates end after number i. */
static size_t triangle_of(const SlSamplePlan *plan, size_t triangles, uint64_t i)
{
    size_t low = 0, high = triangles - 1;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (plan->starts[middle + 1] > i)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

/* Candidate k of n: the way from the tip is stratified, by length for the strip, else by area. */
static SlVec3 place(const SlSampling *s, size_t triangle, uint64_t k, uint64_t i)
{
    SlVec3 corner[3] = {sl_mesh_corner(s->mesh, triangle, 0), sl_mesh_corner(s->mesh, triangle, 1),
                        sl_mesh_corner(s->mesh, triangle, 2)};
    int tip = tip_of(corner);
    Wide a = wide(corner[tip]), b = wide(corner[(tip + 1) % 3]), c = wide(corner[(tip + 2) % 3]);
    uint64_t strips = s->plan.strips[triangle];
    uint64_t shares = s->plan.starts[triangle + 1] - s->plan.starts[triangle] - strips;
    SlRandom4 random = sl_random(s->seed, i, 0);
    double along = ((double)random.value[0] + 0.5) * 0x1p-32;
    double across = ((double)random.value[1] + 0.5) * 0x1p-32;
    double way = k < strips ? ((double)k + along) / (double)strips
                            : sqrt(((double)(k - strips) + along) / (double)shares);
    double wb = way * (1 - across), wc = way * across, wa = 1 - way;
    return sl_vec3((float)(wa * a.x + wb * b.x + wc * c.x), (float)(wa * a.y + wb * b.y + wc * c.y),
                   (float)(wa * a.z + wb * b.z + wc * c.z));
}

static void place_candidates(void *argument, size_t begin, size_t end, size_t chunk)
{
    (void)chunk;
    const SlSampling *s = argument;
    size_t triangle = triangle_of(&s->plan, s->mesh->triangle_count, begin);
    for (size_t i = begin; i < end; i++) {
        while (s->plan.starts[triangle + 1] <= i)
            triangle++;
        s->candidates.positions[i] = place(s, triangle, i - s->plan.starts[triangle], i);
        s->candidates.triangles[i] = (uint32_t)triangle;
    }
}

bool sl_sample_candidates(SlSampling *s)
{
    SlSampleCandidates *candidates = &s->candidates;
    candidates->count = (size_t)s->plan.count;
    candidates->positions = SL_PUSH(s->arena, SlVec3, candidates->count);
    candidates->triangles = SL_PUSH(s->arena, uint32_t, candidates->count);
    if (candidates->positions == NULL || candidates->triangles == NULL)
        return false;
    sl_parallel_for(s->context->pool, candidates->count, CHUNK, place_candidates, s);
    return true;
}
