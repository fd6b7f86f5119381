/* The motion around a particle by least squares. With x_j a neighbour's place relative to the particle in the
   frame before and y_j in this one, the affine motion

     A = argmin Σ w_j |y_j − A x_j|² + λ |A − Q|²

   is exact for every affine motion, whatever the weights [Müller 2004]. Q is the rotation that fits best
   [Kabsch 1976]; it takes the place of A where neighbours lie in a plane or are few.

   Where snow tears, a part of the neighbours leaves. Those are recognised by their strain relative to the
   particle's own rotation, e_j = |y_j − Q x_j| / |x_j|, and lose weight by (1 + (e_j/ε)²)⁻², in up to three rounds,
   ε the mean of e_j by the weights of the round before: in a motion that is affine that changes nothing, at
   the border of a fragment its own side is left. Weighting by the residual of A instead does not choose a
   side: the first fit is half-way between both.

   What is left unexplained beside the rotation is noise of single particles: A − Q shrinks by that part. */
#include <math.h>
#include <string.h>

#include "filters/upsample/upsample.h"

static const double min_strain = 0.05;        /* of ε */
static const double even_strain = 1e-4;       /* weighting stops where the largest strain² over scale² is below */
static const double regularisation = 1e-3;    /* λ over the trace of Σ w x xᵀ */
static const double min_neighbours = 2.5;       /* effective number for an affine fit */
static const double min_rank = 0.02;          /* second singular value over the first: a rotation */
static const double min_stretch = 0.6, max_stretch = 1.5;
enum { ROUNDS = 3, SWEEPS = 12 };

static const double identity[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void cross(const double a[3], const double b[3], double c[3])
{
    c[0] = a[1] * b[2] - a[2] * b[1];
    c[1] = a[2] * b[0] - a[0] * b[2];
    c[2] = a[0] * b[1] - a[1] * b[0];
}

/* |y − M x|² */
static double residual2(const double m[9], const double x[3], const double y[3])
{
    double sum = 0;
    for (int r = 0; r < 3; r++) {
        double e = y[r] - dot(m + 3 * r, x);
        sum += e * e;
    }
    return sum;
}

/* --- Singular values --- */

/* Rotates two columns of B, and of V with them, until they are orthogonal. */
static bool orthogonalise(double a[3], double b[3], double va[3], double vb[3])
{
    double alpha = dot(a, a), beta = dot(b, b), gamma = dot(a, b);
    if (gamma * gamma <= 1e-26 * alpha * beta)
        return false;
    double zeta = (beta - alpha) / (2 * gamma);
    double t = (zeta >= 0 ? 1 : -1) / (fabs(zeta) + sqrt(1 + zeta * zeta));
    double c = 1 / sqrt(1 + t * t), s = c * t;
    for (int k = 0; k < 3; k++) {
        double ak = a[k], vk = va[k];
        a[k] = c * ak - s * b[k];
        b[k] = s * ak + c * b[k];
        va[k] = c * vk - s * vb[k];
        vb[k] = s * vk + c * vb[k];
    }
    return true;
}

/* A unit vector along a, or, where that has no length, one orthogonal to `other`. */
static void unit_column(const double a[3], double length, const double other[3], double u[3])
{
    if (length > 0) {
        for (int k = 0; k < 3; k++)
            u[k] = a[k] / length;
        return;
    }
    int axis = fabs(other[0]) < 0.6 ? 0 : fabs(other[1]) < 0.6 ? 1 : 2;
    double e[3] = {axis == 0, axis == 1, axis == 2}, c[3];
    cross(other, e, c);
    double size = sqrt(dot(c, c));
    for (int k = 0; k < 3; k++)
        u[k] = size > 0 ? c[k] / size : e[k];
}

/* One-sided Jacobi: columns of M are rotated until they are orthogonal. V is a product of rotations, and
   the third column of U is the cross product of the others, so that both are rotations. */
void upsample_svd(const double m[9], double u[9], double s[3], double v[9])
{
    double b[3][3], w[3][3], length[3], column[3][3];
    for (int c = 0; c < 3; c++)
        for (int r = 0; r < 3; r++) {
            b[c][r] = m[3 * r + c];
            w[c][r] = r == c;
        }
    bool turned = true;
    for (int sweep = 0; turned && sweep < SWEEPS; sweep++) {
        turned = orthogonalise(b[0], b[1], w[0], w[1]);
        turned |= orthogonalise(b[0], b[2], w[0], w[2]);
        turned |= orthogonalise(b[1], b[2], w[1], w[2]);
    }
    int first = 0, last = 0;
    for (int c = 0; c < 3; c++) {
        length[c] = sqrt(dot(b[c], b[c]));
        first = length[c] > length[first] ? c : first;
    }
    for (int c = 0; c < 3; c++)
        if (c != first && (last == first || length[c] < length[last]))
            last = c;
    int second = 3 - first - last;
    const double up[3] = {0, 1, 0};
    unit_column(b[first], length[first], up, column[0]);
    unit_column(b[second], length[second], column[0], column[1]);
    cross(column[0], column[1], column[2]);
    /* columns in the order first, second, last; an odd order would mirror V */
    bool odd = second != (first + 1) % 3;
    const int order[3] = {first, second, last};
    s[0] = length[first];
    s[1] = length[second];
    s[2] = (odd ? -1 : 1) * dot(column[2], b[last]);
    for (int c = 0; c < 3; c++)
        for (int r = 0; r < 3; r++) {
            u[3 * r + c] = column[c][r];
            v[3 * r + c] = (c == 2 && odd ? -1 : 1) * w[order[c]][r];
        }
}

/* C = A diag(s) Bᵀ */
static void compose(const double a[9], const double s[3], const double b[9], double c[9])
{
    for (int r = 0; r < 3; r++)
        for (int k = 0; k < 3; k++)
            c[3 * r + k] = a[3 * r] * s[0] * b[3 * k] + a[3 * r + 1] * s[1] * b[3 * k + 1] +
                           a[3 * r + 2] * s[2] * b[3 * k + 2];
}

/* Whether the stretches of F are surely within the limits: the eigenvalues of FᵀF are no farther from the middle
   of the limits' squares than the norm of what differs from it. */
static bool surely_within(const double f[9])
{
    const double low = min_stretch * min_stretch, high = max_stretch * max_stretch;
    double c[3], sum = 0;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            double e = f[i] * f[j] + f[3 + i] * f[3 + j] + f[6 + i] * f[6 + j] - (i == j ? 0.5 * (low + high) : 0);
            sum += e * e;
        }
    cross(f, f + 3, c);
    return dot(c, f + 6) > 0 && sum < 0.249 * (high - low) * (high - low);
}

void upsample_limit(double f[9])
{
    double u[9], s[3], v[9];
    if (surely_within(f))
        return;
    upsample_svd(f, u, s, v);
    if (s[0] <= max_stretch && s[2] >= min_stretch)
        return;
    for (int k = 0; k < 3; k++)
        s[k] = s[k] < min_stretch ? min_stretch : s[k] > max_stretch ? max_stretch : s[k];
    compose(u, s, v, f);
}

/* --- Least squares --- */

/* X = B S⁻¹ with S symmetric and positive. False: it is singular. */
static bool solve(const double b[9], const double s[9], double x[9])
{
    double rows[3][3];
    cross(s + 3, s + 6, rows[0]);
    cross(s + 6, s, rows[1]);
    cross(s, s + 3, rows[2]);
    double det = dot(s, rows[0]);
    if (!(det > 0))
        return false;
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++)
            x[3 * r + c] = (b[3 * r] * rows[0][c] + b[3 * r + 1] * rows[1][c] +
                            b[3 * r + 2] * rows[2][c]) / det;
    return true;
}

/* Σ w to fromᵀ */
static void moments(const UpsampleBond *bonds, size_t count, int from, int to, double m[9])
{
    memset(m, 0, 9 * sizeof *m);
    for (size_t j = 0; j < count; j++) {
        const double *x = bonds[j].vector[from], *y = bonds[j].vector[to], w = bonds[j].weight;
        for (int r = 0; r < 3; r++)
            for (int c = 0; c < 3; c++)
                m[3 * r + c] += w * y[r] * x[c];
    }
}

/* The affine map from one vector of the bonds to another. `map` is what it is drawn to where it is not
   determined or does not explain the bonds. */
static void fit_map(const UpsampleBond *bonds, size_t count, int from, int to, double map[9])
{
    double m[9], s[9], left = 0, total = 0;
    moments(bonds, count, from, to, m);
    moments(bonds, count, from, from, s);
    double lambda = regularisation * (s[0] + s[4] + s[8]);
    for (int k = 0; k < 9; k++) {
        m[k] += lambda * map[k];
        s[k] += lambda * identity[k];
    }
    double found[9];
    if (!solve(m, s, found))
        return;
    for (size_t j = 0; j < count; j++) {
        const double *x = bonds[j].vector[from], *y = bonds[j].vector[to];
        left += bonds[j].weight * residual2(found, x, y);
        total += bonds[j].weight * residual2(map, x, y);
    }
    double explained = total > 0 && left < total ? 1 - left / total : total > 0 ? 0 : 1;
    for (int k = 0; k < 9; k++)
        map[k] += explained * (found[k] - map[k]);
}

/* The rotation that fits the moments Σ w y xᵀ best; the second singular value over the first. */
static double rotation_of(const double m[9], double q[9])
{
    double u[9], s[3], v[9];
    const double ones[3] = {1, 1, 1};
    upsample_svd(m, u, s, v);
    compose(u, ones, v, q);
    return s[0] > 0 ? s[1] / s[0] : 0;
}

/* The rotation that fits best. False: there is none, as all neighbours lie on a line. */
static bool fit_rotation(const UpsampleBond *bonds, size_t count, double q[9])
{
    double m[9];
    moments(bonds, count, UPSAMPLE_BEFORE, UPSAMPLE_AFTER, m);
    return rotation_of(m, q) > min_rank;
}

static double strain2(const UpsampleBond *b, const double q[9])
{
    const double *x = b->vector[UPSAMPLE_BEFORE];
    return residual2(q, x, b->vector[UPSAMPLE_AFTER]) / (dot(x, x) + 1e-6);
}

/* Weights of the next round, by strain relative to the rotation; the effective number of neighbours. *even: they
   hardly differ from nearness, and so further rounds would change nothing. */
static double weigh(UpsampleBond *bonds, size_t count, const double q[9], bool *even)
{
    double sum = 0, squares = 0, mean = 0, max = 0;
    for (size_t j = 0; j < count; j++) {
        double strain = strain2(&bonds[j], q);
        mean += bonds[j].weight * sqrt(strain);
        sum += bonds[j].weight;
        max = strain > max ? strain : max;
    }
    mean = sum > 0 ? mean / sum : 0;
    double scale = mean > min_strain ? mean : min_strain;
    *even = max < even_strain * scale * scale;
    sum = 0;
    for (size_t j = 0; j < count; j++) {
        double less = 1 + strain2(&bonds[j], q) / (scale * scale);
        bonds[j].weight = bonds[j].nearness / (less * less);
        sum += bonds[j].weight;
        squares += bonds[j].weight * bonds[j].weight;
    }
    return squares > 0 ? sum * sum / squares : 0;
}

UpsampleMotion upsample_fit(UpsampleBond *bonds, size_t count)
{
    UpsampleMotion motion = {.slope = {0}};
    double q[9], neighbours = 0;
    memcpy(motion.affine, identity, sizeof identity);
    for (size_t j = 0; j < count; j++)
        bonds[j].weight = bonds[j].nearness;
    bool even = false;
    for (int round = 0; round < ROUNDS && !even; round++) {
        if (!fit_rotation(bonds, count, q))
            return motion;
        neighbours = weigh(bonds, count, q, &even);
    }
    memcpy(motion.affine, q, sizeof q);
    if (neighbours < min_neighbours)
        return motion;
    fit_map(bonds, count, UPSAMPLE_BEFORE, UPSAMPLE_AFTER, motion.affine);
    fit_map(bonds, count, UPSAMPLE_AFTER, UPSAMPLE_VELOCITY, motion.slope);
    return motion;
}

void upsample_deformation(const float (*rest)[3], const float (*offset)[3], size_t count, double f[9])
{
    double m[9] = {0}, s[9] = {0}, q[9];
    for (size_t k = 0; k < count; k++)
        for (int r = 0; r < 3; r++)
            for (int c = 0; c < 3; c++) {
                m[3 * r + c] += (double)offset[k][r] * (double)rest[k][c];
                s[3 * r + c] += (double)rest[k][r] * (double)rest[k][c];
            }
    double c[3], trace = s[0] + s[4] + s[8];
    cross(s, s + 3, c);
    if (!(dot(c, s + 6) > 1e-5 * trace * trace * trace)) { /* points in a plane, nearly: drawn to a rotation */
        double lambda = 1e-6 * trace;
        rotation_of(m, q);
        for (int k = 0; k < 9; k++) {
            m[k] += lambda * q[k];
            s[k] += lambda * identity[k];
        }
    }
    bool finite = solve(m, s, f);
    for (int k = 0; k < 9; k++)
        finite = finite && isfinite(f[k]);
    if (!finite)
        memcpy(f, identity, sizeof identity);
}
