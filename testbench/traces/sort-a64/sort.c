/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "rt.h"
typedef int(*cmp_t)(const void*,const void*); static int c_up(const void*a,const void*b){u32 x=*(const u32*)a,y=*(const u32*)b;return x<y?-1:x>y;} static int c_low(const void*a,const void*b){u32 x=*(const u32*)a&0xff,y=*(const u32*)b&0xff;return x<y?-1:x>y?1:c_up(a,b);}
static void qs(u32*v,int lo,int hi,cmp_t c){while(lo<hi){u32 p=v[(lo+hi)/2];int i=lo,j=hi;while(i<=j){while(c(&v[i],&p)<0)i++;while(c(&v[j],&p)>0)j--;if(i<=j){u32 t=v[i];v[i]=v[j];v[j]=t;i++;j--;}}if(j-lo<hi-i){qs(v,lo,j,c);lo=i;}else{qs(v,i,hi,c);hi=j;}}}
struct node{struct node*l,*r;u32 k;};static struct node pool[3000];static int np;
static struct node*ins(struct node*t,u32 k){if(!t){t=&pool[np++];t->l=t->r=0;t->k=k;return t;}if(k<t->k)t->l=ins(t->l,k);else t->r=ins(t->r,k);return t;}
static u32 walk(struct node*t,int d){return t?walk(t->l,d+1)*3+t->k*(u32)d+walk(t->r,d+1):1;}
static u32 a[2000];
int run(void){u32 s=0;for(int r=0;r<SCALE;r++){for(int i=0;i<2000;i++)a[i]=rnd();qs(a,0,1999,(r&1)?c_up:c_low);for(int i=0;i<2000;i++)s=s*33+a[i];qs(a,0,1999,c_up);np=0;struct node*t=0;for(int i=0;i<900;i++)t=ins(t,rnd());s^=walk(t,0);}return (int)s;}
