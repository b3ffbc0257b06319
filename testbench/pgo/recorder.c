// SPDX-License-Identifier: MIT OR Apache-2.0
/* A plugin of qemu-user that records which blocks of instructions a program executes.
 *
 *     cc -shared -fPIC -O2 -o recorder.so recorder.c
 *     qemu-aarch64 -plugin ./recorder.so,out=FILE PROGRAM
 *
 * FILE has two kinds of records of 16 bytes, little-endian: a block of code, when it is first
 * translated (0x80000000 + its number, its instructions, its address), and the numbers of blocks
 * that were executed, in order (how many of the three words are used, then up to three numbers).
 *
 * QEMU's plugin interface, version 1, is declared here as far as it is used: no header of QEMU is
 * needed. */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct qemu_plugin_tb;
typedef uint64_t plugin_id;
typedef void (*on_translation)(plugin_id, struct qemu_plugin_tb *);
typedef void (*on_execution)(unsigned cpu, void *data);
typedef void (*on_end)(plugin_id, void *data);

void qemu_plugin_register_vcpu_tb_trans_cb(plugin_id, on_translation);
void qemu_plugin_register_vcpu_tb_exec_cb(struct qemu_plugin_tb *, on_execution, int flags,
                                          void *data);
void qemu_plugin_register_atexit_cb(plugin_id, on_end, void *data);
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *);
uint64_t qemu_plugin_tb_vaddr(const struct qemu_plugin_tb *);

#define EXPORT __attribute__((visibility("default")))
EXPORT int qemu_plugin_version = 1;

struct record {
    uint32_t head;
    uint32_t words[3];
};

static FILE *out;
static uint32_t blocks;
static struct record executed;

static void put(const struct record *record) {
    if (fwrite(record, sizeof *record, 1, out) != 1) {
        fputs("recorder: cannot write\n", stderr);
        exit(1);
    }
}

static void flush(void) {
    if (executed.head != 0) {
        put(&executed);
        executed.head = 0;
    }
}

static void execute(unsigned cpu, void *data) {
    (void)cpu;
    executed.words[executed.head++] = (uint32_t)(uintptr_t)data;
    if (executed.head == 3)
        flush();
}

static void translate(plugin_id id, struct qemu_plugin_tb *block) {
    uint64_t address = qemu_plugin_tb_vaddr(block);
    struct record record = {
        0x80000000u + blocks,
        {(uint32_t)qemu_plugin_tb_n_insns(block), (uint32_t)address, (uint32_t)(address >> 32)}};
    (void)id;
    put(&record);
    qemu_plugin_register_vcpu_tb_exec_cb(block, execute, 0, (void *)(uintptr_t)blocks);
    blocks++;
}

static void end(plugin_id id, void *data) {
    (void)id;
    (void)data;
    flush();
    fclose(out);
}

EXPORT int qemu_plugin_install(plugin_id id, const void *info, int count, char **arguments) {
    (void)info;
    for (int i = 0; i < count; i++)
        if (strncmp(arguments[i], "out=", 4) == 0)
            out = fopen(arguments[i] + 4, "wb");
    if (out == NULL) {
        fputs("recorder: out=FILE is needed, and FILE must be writable\n", stderr);
        return -1;
    }
    qemu_plugin_register_vcpu_tb_trans_cb(id, translate);
    qemu_plugin_register_atexit_cb(id, end, NULL);
    return 0;
}
