// SPDX-License-Identifier: MIT OR Apache-2.0
/* A program of 200 functions over many pages, of which a few run most of the time. Its source does
 * not say which way its branches go, nor which functions are hot: a profile does. It needs no C
 * library: A64 Linux, two system calls. */

typedef unsigned char u8;
typedef unsigned u32;
typedef unsigned long u64;

static long system_call(long number, long a, long b, long c) {
    register long x8 __asm__("x8") = number, x0 __asm__("x0") = a, x1 __asm__("x1") = b,
                     x2 __asm__("x2") = c;
    __asm__ volatile("svc #0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2) : "memory");
    return x0;
}

static u32 table[1024];

/* What seldom happens is long. */
#define MIX(x, k) x = (x ^ x >> 15) * (0x85EBCA6Bu + 2 * (k)); table[x >> 22] += x ^ (k);
#define LONG(x, k)                                                                                 \
    MIX(x, k) MIX(x, k + 1) MIX(x, k + 2) MIX(x, k + 3) MIX(x, k + 4) MIX(x, k + 5) MIX(x, k + 6)  \
    MIX(x, k + 7)
#define SHORT(x, k) x += table[(x >> 9 ^ (k)) & 1023];

/* A number between 0 and 255 that looks random. */
#define DRAW(x, k) ((x = x * 1664525u + 1013904223u + (k)) >> 24)

/* In some functions the first way is the frequent one, in others the second one. */
#define CHOICE(x, n, k)                                                                            \
    if (DRAW(x, k) < ((n) * 5 + (k)) % 3 * 123 + 4) {                                              \
        if (((n) * 5 + (k)) % 3 == 2) {                                                            \
            SHORT(x, k)                                                                            \
        } else {                                                                                   \
            LONG(x, k)                                                                             \
        }                                                                                          \
    } else {                                                                                       \
        if (((n) * 5 + (k)) % 3 == 2) {                                                            \
            LONG(x, k + 9)                                                                         \
        } else {                                                                                   \
            SHORT(x, k + 9)                                                                        \
        }                                                                                          \
    }

#define FUNCTION(n)                                                                                \
    static __attribute__((noinline)) u32 work_##n(u32 x) {                                         \
        CHOICE(x, n, 1) CHOICE(x, n, 2) CHOICE(x, n, 3) CHOICE(x, n, 4) CHOICE(x, n, 5)            \
        return x;                                                                                  \
    }
#define NAME(n) work_##n,

#define TEN(M, d) M(d##0) M(d##1) M(d##2) M(d##3) M(d##4) M(d##5) M(d##6) M(d##7) M(d##8) M(d##9)
/* 100 to 299: a zero in front would make a number octal. */
#define HUNDRED(M, d)                                                                              \
    TEN(M, d##0) TEN(M, d##1) TEN(M, d##2) TEN(M, d##3) TEN(M, d##4) TEN(M, d##5) TEN(M, d##6)     \
    TEN(M, d##7) TEN(M, d##8) TEN(M, d##9)

HUNDRED(FUNCTION, 1)
HUNDRED(FUNCTION, 2)

static u32 (*const work[200])(u32) = {HUNDRED(NAME, 1) HUNDRED(NAME, 2)};

static u32 run(void) {
    u32 x = 1, sum = 0;
    for (u32 turn = 0; turn < 40000; turn++) {
        /* One of sixteen functions that are far apart, or seldom any. */
        u32 draw = DRAW(x, turn);
        u32 which = draw < 240 ? draw % 16 * 12 + 5 : (draw * 7 + turn) % 200;
        sum = sum * 31 + work[which](x);
    }
    return sum;
}

void _start(void) {
    char text[9];
    u32 sum = run();
    for (int digit = 0; digit < 8; digit++)
        text[digit] = "0123456789abcdef"[sum >> (28 - 4 * digit) & 15];
    text[8] = '\n';
    system_call(64, 1, (long)text, 9);
    system_call(93, 0, 0, 0);
    for (;;)
        ;
}
