/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Tiny freestanding runtime: no libc, two system calls, for A64 and A32 Linux user mode. */
typedef unsigned char u8; typedef unsigned short u16; typedef unsigned int u32; typedef int s32; typedef short s16; typedef unsigned long long u64;
#if defined(__aarch64__)
static inline long sys3(long n,long a,long b,long c){register long x8 __asm__("x8")=n,x0 __asm__("x0")=a,x1 __asm__("x1")=b,x2 __asm__("x2")=c;__asm__ volatile("svc #0":"+r"(x0):"r"(x8),"r"(x1),"r"(x2):"memory");return x0;}
#define SYS_write 64
#define SYS_exit 93
#else
static inline long sys3(long n,long a,long b,long c){register long r7 __asm__("r7")=n,r0 __asm__("r0")=a,r1 __asm__("r1")=b,r2 __asm__("r2")=c;__asm__ volatile("svc #0":"+r"(r0):"r"(r7),"r"(r1),"r"(r2):"memory");return r0;}
#define SYS_write 4
#define SYS_exit 1
#endif
#ifndef SCALE
#define SCALE 1
#endif
static u32 rng_s=12345u; static u32 rnd(void){rng_s^=rng_s<<13;rng_s^=rng_s>>17;rng_s^=rng_s<<5;return rng_s;}
int run(void);
static void hex(u32 v){char b[9];for(int i=0;i<8;i++){int d=(v>>(28-4*i))&15;b[i]=d<10?'0'+d:'a'+d-10;}b[8]='\n';sys3(SYS_write,1,(long)b,9);}
void _start(void){hex((u32)run());sys3(SYS_exit,0,0,0);for(;;);}
void *memcpy(void*d,const void*s,unsigned long n){u8*a=d;const u8*b=s;while(n--)*a++=*b++;return d;}
void *memset(void*d,int c,unsigned long n){u8*a=d;while(n--)*a++=(u8)c;return d;}
int raise(int s){(void)s;return 0;}
