// Decimal to float and back, correctly rounded, without locale.
#include "base/number.h"

// A float's neighbours meet at midpoints of at most 113 significant digits: digits beyond
// that only mean "a little more", which a final digit 1 expresses as well.
enum { MAX_DIGITS = 128, LIMBS = 40 };

typedef struct decimal {
    uint64_t head;          // the first 19 digits
    int32_t head_exponent;  // value = head * 10^head_exponent, and a little more when is_cut
    bool is_cut, is_negative;
    uint8_t digits[MAX_DIGITS + 1];
    int32_t digit_count, exponent;  // value = digits * 10^exponent exactly
} decimal;

typedef struct bignum {
    uint32_t limb[LIMBS];
    int32_t size;
} bignum;

static void big_multiply_add(bignum *big, uint32_t factor, uint32_t add)
{
    uint64_t carry = add;
    for (int32_t i = 0; i < big->size; i++) {
        carry += (uint64_t)big->limb[i] * factor;
        big->limb[i] = (uint32_t)carry;
        carry >>= 32;
    }
    if (carry && big->size < LIMBS) big->limb[big->size++] = (uint32_t)carry;
}

static void big_scale(bignum *big, uint32_t base, int32_t times)
{
    for (int32_t i = 0; i < times; i++) big_multiply_add(big, base, 0);
}

static void big_shift(bignum *big, int32_t bits)
{
    for (; bits >= 16; bits -= 16) big_multiply_add(big, 1u << 16, 0);
    big_multiply_add(big, 1u << bits, 0);
}

static int big_compare(const bignum *a, const bignum *b)
{
    if (a->size != b->size) return a->size < b->size ? -1 : 1;
    for (int32_t i = a->size - 1; i >= 0; i--) {
        if (a->limb[i] != b->limb[i]) return a->limb[i] < b->limb[i] ? -1 : 1;
    }
    return 0;
}

// The decimal against mantissa * 2^exponent, exactly.
static int compare_exact(const decimal *number, uint32_t mantissa, int32_t exponent)
{
    bignum left = { .size = 0 }, right = { .size = 0 };
    for (int32_t i = 0; i < number->digit_count; i++) big_multiply_add(&left, 10, number->digits[i]);
    big_multiply_add(&right, 1, mantissa);
    if (number->exponent >= 0) big_scale(&left, 10, number->exponent);
    else big_scale(&right, 10, -number->exponent);
    if (exponent >= 0) big_shift(&right, exponent);
    else big_shift(&left, -exponent);
    return big_compare(&left, &right);
}

static float float_from_bits(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static uint32_t bits_from_float(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

// Compares the decimal with the midpoint of the floats `bits` and `bits + 1`.
static int compare_midpoint(const decimal *number, uint32_t bits)
{
    uint32_t biased = bits >> 23, fraction = bits & 0x7FFFFF;
    uint32_t mantissa = biased ? fraction | 0x800000 : fraction;
    int32_t exponent = (biased ? (int32_t)biased : 1) - 150;
    return compare_exact(number, 2 * mantissa + 1, exponent - 1);
}

// Walks from a guess, at most a few steps off, to the nearest float; ties go to the even one.
static uint32_t round_exact(const decimal *number, uint32_t bits)
{
    while (bits > 0) {
        int below = compare_midpoint(number, bits - 1);
        if (below > 0 || (below == 0 && bits % 2 == 0)) break;
        bits--;
    }
    while (bits < 0x7F800000) {
        int above = compare_midpoint(number, bits);
        if (above < 0 || (above == 0 && bits % 2 == 0)) break;
        bits++;
    }
    return bits;
}

const double sni_powers_of_ten[23] = {
    1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
    1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
};

// head * 10^exponent, good to a few units in the last place of a double: each step rounds once.
static double approximate(uint64_t head, int32_t exponent)
{
    double value = (double)head;
    for (; exponent > 22; exponent -= 22) value *= 1e22;
    for (; exponent < -22; exponent += 22) value /= 1e22;
    return exponent < 0 ? value / sni_powers_of_ten[-exponent] : value * sni_powers_of_ten[exponent];
}

// Rounding the approximation gives the float, unless it is close to the midpoint of two floats, subnormal or close to
// overflow.
static bool is_settled(double value) { return !sni_is_near_midpoint(value) && value > 1.2e-38 && value < 3.4e38; }

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

static void push_digit(decimal *number, uint8_t digit, bool is_fraction)
{
    if (number->digit_count == 0 && digit == 0) {
        number->exponent -= is_fraction;
        return;
    }
    if (number->digit_count < MAX_DIGITS) {
        number->digits[number->digit_count++] = digit;
        number->exponent -= is_fraction;
    } else {
        number->exponent += !is_fraction;
        number->is_cut = number->is_cut || digit != 0;
    }
}

static int32_t parse_exponent(const char *at, const char *end)
{
    bool is_negative = at < end && *at == '-';
    if (at < end && (*at == '-' || *at == '+')) at++;
    int32_t value = 0;
    for (; at < end && is_digit(*at); at++) value = value < 100000 ? value * 10 + (*at - '0') : value;
    return is_negative ? -value : value;
}

static decimal scan(const char *at, const char *end)
{
    decimal number;
    number.head = 0;
    number.digit_count = number.exponent = 0;
    number.is_cut = false;
    number.is_negative = at < end && *at == '-';
    if (number.is_negative) at++;
    for (; at < end && is_digit(*at); at++) push_digit(&number, (uint8_t)(*at - '0'), false);
    if (at < end && *at == '.') {
        for (at++; at < end && is_digit(*at); at++) push_digit(&number, (uint8_t)(*at - '0'), true);
    }
    if (at < end && (*at == 'e' || *at == 'E')) number.exponent += parse_exponent(at + 1, end);
    int32_t head_count = number.digit_count < 19 ? number.digit_count : 19;
    for (int32_t i = 0; i < head_count; i++) number.head = number.head * 10 + number.digits[i];
    number.head_exponent = number.exponent + number.digit_count - head_count;
    if (number.is_cut) {
        number.digits[number.digit_count++] = 1;
        number.exponent--;
    }
    return number;
}

static inline const char *scan_digits(const char *at, const char *end, uint64_t *head)
{
    uint64_t sum = *head;
    for (; at < end && is_digit(*at); at++) sum = sum * 10 + (uint64_t)(*at - '0');
    *head = sum;
    return at;
}

// The same for the digits after the point: eight at a time, then the few that are left one by one.
static inline const char *scan_fraction(const char *at, const char *end, uint64_t *head)
{
    static const uint32_t powers[] = { 1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000 };
    if (end - at < 8) return scan_digits(at, end, head);
    uint64_t eight = sni_load_eight(at);
    uint32_t count = sni_count_digits(eight);
    if (count == 0) return at;
    *head = *head * powers[count] + sni_digits_value(eight << (64 - 8 * count));
    return count == 8 ? scan_digits(at + 8, end, head) : at + count;
}

const char *sni_scan_float(const char *at, const char *end, float *value)
{
    const char *start = at, *usual = end - at >= SNI_USUAL_BYTES ? sni_scan_usual_float(at, value) : NULL;
    if (usual) return usual;
    uint64_t head = 0;
    int32_t exponent = 0;
    bool is_negative = at < end && *at == '-';
    const char *first = at += is_negative;
    at = at < end && *at == '0' ? at + 1 : scan_digits(at, end, &head);
    if (at == first) return NULL;
    if (at < end && *at == '.') {
        const char *fraction = ++at;
        at = scan_fraction(at, end, &head);
        if (at == fraction) return NULL;
        exponent = (int32_t)(fraction - at);
    }
    // Up to 19 digits without exponent, as almost all numbers are: one division is enough for most.
    bool is_plain = at - first <= 19 && exponent > -19 && !(at < end && (*at == 'e' || *at == 'E'));
    if (is_plain) {
        double guess = (double)head / sni_powers_of_ten[-exponent];
        *value = is_negative ? -(float)guess : (float)guess;
        if (head == 0 || is_settled(guess)) return at;
    }
    if (at < end && (*at == 'e' || *at == 'E')) {
        at++;
        if (at < end && (*at == '+' || *at == '-')) at++;
        const char *digits = at;
        at = scan_digits(at, end, &head);
        if (at == digits) return NULL;
    }
    *value = sni_parse_float(start, (size_t)(at - start));
    return at;
}

float sni_parse_float(const char *at, size_t size)
{
    decimal number = scan(at, at + size);
    float sign = number.is_negative ? -1.0f : 1.0f;
    int32_t magnitude = number.digit_count + number.exponent;  // value < 10^magnitude
    if (number.digit_count == 0 || magnitude < -50) return sign * 0.0f;
    if (magnitude > 40) return sign * float_from_bits(0x7F800000);
    double guess = approximate(number.head, number.head_exponent);
    if (is_settled(guess)) return sign * (float)guess;
    float start = guess < 3.4028234663852886e38 ? (float)guess : float_from_bits(0x7F7FFFFF);
    return sign * float_from_bits(round_exact(&number, bits_from_float(start)));
}

// Printing: the shortest decimal within half a step of the float, and of those the closest, by Raffaello Giulietti's
// Schubfach. `powers_of_ten_64[FIRST_POWER + e]` is 10^e, rounded up, as a fraction of 64 bits without its binary
// exponent.
enum { FIRST_POWER = 31 };
static const uint64_t powers_of_ten_64[] = {
    0x81ceb32c4b43fcf5, 0xa2425ff75e14fc32, 0xcad2f7f5359a3b3f, 0xfd87b5f28300ca0e, 0x9e74d1b791e07e49,
    0xc612062576589ddb, 0xf79687aed3eec552, 0x9abe14cd44753b53, 0xc16d9a0095928a28, 0xf1c90080baf72cb2,
    0x971da05074da7bef, 0xbce5086492111aeb, 0xec1e4a7db69561a6, 0x9392ee8e921d5d08, 0xb877aa3236a4b44a,
    0xe69594bec44de15c, 0x901d7cf73ab0acda, 0xb424dc35095cd810, 0xe12e13424bb40e14, 0x8cbccc096f5088cc,
    0xafebff0bcb24aaff, 0xdbe6fecebdedd5bf, 0x89705f4136b4a598, 0xabcc77118461cefd, 0xd6bf94d5e57a42bd,
    0x8637bd05af6c69b6, 0xa7c5ac471b478424, 0xd1b71758e219652c, 0x83126e978d4fdf3c, 0xa3d70a3d70a3d70b,
    0xcccccccccccccccd, 0x8000000000000000, 0xa000000000000000, 0xc800000000000000, 0xfa00000000000000,
    0x9c40000000000000, 0xc350000000000000, 0xf424000000000000, 0x9896800000000000, 0xbebc200000000000,
    0xee6b280000000000, 0x9502f90000000000, 0xba43b74000000000, 0xe8d4a51000000000, 0x9184e72a00000000,
    0xb5e620f480000000, 0xe35fa931a0000000, 0x8e1bc9bf04000000, 0xb1a2bc2ec5000000, 0xde0b6b3a76400000,
    0x8ac7230489e80000, 0xad78ebc5ac620000, 0xd8d726b7177a8000, 0x878678326eac9000, 0xa968163f0a57b400,
    0xd3c21bcecceda100, 0x84595161401484a0, 0xa56fa5b99019a5c8, 0xcecb8f27f4200f3a, 0x813f3978f8940985,
    0xa18f07d736b90be6, 0xc9f2c9cd04674edf, 0xfc6f7c4045812297, 0x9dc5ada82b70b59e, 0xc5371912364ce306,
    0xf684df56c3e01bc7, 0x9a130b963a6c115d, 0xc097ce7bc90715b4, 0xf0bdc21abb48db21, 0x96769950b50d88f5,
    0xbc143fa4e250eb32, 0xeb194f8e1ae525fe, 0x92efd1b8d0cf37bf, 0xb7abc627050305ae, 0xe596b7b0c643c71a,
    0x8f7e32ce7bea5c70, 0xb35dbf821ae4f38c,
};

// factor * value / 2^64; the lowest bit is set when there is a remainder. 1 below the point is the error of the factor.
static uint32_t multiply_high(uint64_t factor, uint32_t value)
{
    uint64_t product = (factor >> 32) * value + ((factor & 0xFFFFFFFF) * value >> 32);
    return (uint32_t)(product >> 32) | ((uint32_t)product > 1);
}

// A positive finite float as digits * 10^*exponent.
static uint32_t shortest_decimal(uint32_t bits, int32_t *exponent)
{
    uint32_t biased = bits >> 23, fraction = bits & 0x7FFFFF;
    uint32_t mantissa = biased ? fraction | 0x800000 : fraction;
    int32_t binary = (biased ? (int32_t)biased : 1) - 150;
    bool is_power_of_two = fraction == 0 && biased > 1;  // the float below is at half the distance

    // 10^ten is at most the distance of two floats: floor(binary * log10(2)), or of 3/4 of it. The sums that are
    // shifted are positive: what a shift of a negative number gives is up to the compiler.
    int32_t ten = ((binary * 1262611 - (is_power_of_two ? 524031 : 0) + (64 << 22)) >> 22) - 64;
    int32_t shift = binary + ((-ten * 217707 + (128 << 16)) >> 16) - 128 + 1;  // 217707 / 2^16: log2(10)
    uint64_t power = powers_of_ten_64[FIRST_POWER - ten];

    // In quarters of 10^ten: the value, and the midpoints to its neighbours. Those of odd floats round to the
    // neighbours.
    uint32_t value = multiply_high(power, mantissa << 2 << shift);
    uint32_t low = multiply_high(power, ((mantissa << 2) - (is_power_of_two ? 1 : 2)) << shift) + mantissa % 2;
    uint32_t high = multiply_high(power, ((mantissa << 2) + 2) << shift) - mantissa % 2;

    uint32_t below = value / 4, tens = below / 10 * 10;
    bool is_tens_in = low <= 4 * tens, is_next_tens_in = 4 * (tens + 10) <= high;
    *exponent = ten;
    if (is_tens_in != is_next_tens_in) return is_tens_in ? tens : tens + 10;
    bool is_below_in = low <= 4 * below, is_above_in = 4 * (below + 1) <= high;
    if (is_below_in != is_above_in) return is_below_in ? below : below + 1;
    uint32_t middle = 4 * below + 2;
    return value < middle || (value == middle && below % 2 == 0) ? below : below + 1;
}

// As printf's %g does with six digits, or as many as there are, but without plus and leading zeros in the exponent.
size_t sni_format_float(float value, char out[24])
{
    char buffer[12], *digits = buffer + sizeof buffer, *at = out;
    int32_t exponent;
    uint32_t bits = bits_from_float(value), left = bits & 0x7FFFFFFF;
    if (bits >> 31) *at++ = '-';
    if (left == 0) {
        *at++ = '0', *at = 0;
        return (size_t)(at - out);
    }
    left = shortest_decimal(left, &exponent);
    for (; left % 10 == 0; left /= 10) exponent++;
    do *--digits = (char)('0' + left % 10);
    while ((left /= 10) > 0);

    int32_t count = (int32_t)(buffer + sizeof buffer - digits);
    int32_t magnitude = count + exponent;  // how many digits are before the point
    if (magnitude <= -4 || magnitude > (count > 6 ? count : 6)) {
        *at++ = digits[0];
        if (count > 1) *at++ = '.';
        for (int32_t i = 1; i < count; i++) *at++ = digits[i];
        *at++ = 'e';
        int32_t power = magnitude - 1;
        if (power < 0) *at++ = '-', power = -power;
        if (power >= 10) *at++ = (char)('0' + power / 10);
        *at++ = (char)('0' + power % 10);
    } else {
        if (magnitude <= 0) *at++ = '0', *at++ = '.';
        for (int32_t i = magnitude; i < 0; i++) *at++ = '0';
        for (int32_t i = 0; i < count; i++) {
            if (i == magnitude && i > 0) *at++ = '.';
            *at++ = digits[i];
        }
        for (int32_t i = count; i < magnitude; i++) *at++ = '0';
    }
    *at = 0;
    return (size_t)(at - out);
}
