# SPDX-License-Identifier: MIT OR Apache-2.0
"""The exported core between third-party bus models: cocotbext-axi.

The bench knows no format. It programs registers, feeds words to the trace port, takes both streams
and writes down what it saw; `testbench/suites/tests/cocotb.rs` made the words and judges the rest.
Its plan and its results are JSON files in the working directory, `plan.json` and `results.json`.
"""

import json
import random
from pathlib import Path

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles, FallingEdge, RisingEdge, Timer
from cocotbext.axi import AxiLiteBus, AxiLiteMaster, AxiResp, AxiStreamBus, AxiStreamSink

PLAN = json.loads(Path("plan.json").read_text())
RESULTS = Path("results.json")
# Picoseconds: the trace port has 250 MHz.
TRACE_PERIOD = 4000


class Bench:
    """A core after its reset, its bus and its consumer."""

    def __init__(self, dut):
        self.dut = dut
        dut.trace_valid.value = 0
        dut.trace_data.value = 0
        dut.aresetn.value = 0
        reset = {"reset": dut.aresetn, "reset_active_level": False}
        self.bus = AxiLiteMaster(AxiLiteBus.from_prefix(dut, "s_axi"), dut.aclk, **reset)
        records = AxiStreamBus.from_prefix(dut, "m_axis_records")
        self.records = AxiStreamSink(records, dut.aclk, **reset)
        profile = AxiStreamBus.from_prefix(dut, "m_axis_profile")
        self.profile = AxiStreamSink(profile, dut.aclk, **reset)
        self.random = random.Random(PLAN["seed"])
        self.core_clock = None
        cocotb.start_soon(Clock(dut.trace_clk, TRACE_PERIOD, "ps").start())

    async def start(self, core_period):
        """A reset, with the core's clock at another period and phase."""
        self.dut.aresetn.value = 0
        await RisingEdge(self.dut.trace_clk)
        await Timer(self.random.randrange(2, TRACE_PERIOD, 2), "ps")
        if self.core_clock is not None:
            self.core_clock.kill()
        self.core_clock = cocotb.start_soon(Clock(self.dut.aclk, core_period, "ps").start())
        await ClockCycles(self.dut.aclk, 8)
        await FallingEdge(self.dut.aclk)
        self.dut.aresetn.value = 1
        await ClockCycles(self.dut.aclk, 32)

    async def program(self, writes):
        for offset, value in writes:
            response = await self.bus.write(offset, value.to_bytes(4, "little"))
            assert response.resp == AxiResp.OKAY, hex(offset)
        # A source starts when all data before it have been sent.
        await ClockCycles(self.dut.aclk, 80)

    async def read(self, offset):
        response = await self.bus.read(offset, 4)
        return response.resp, int.from_bytes(response.data, "little")

    async def feed(self, words, gaps):
        """Words at the trace port, one per cycle, except for a share of idle cycles."""
        for word in words:
            while self.random.random() < gaps:
                self.dut.trace_valid.value = 0
                await RisingEdge(self.dut.trace_clk)
            self.dut.trace_valid.value = 1
            self.dut.trace_data.value = word
            await RisingEdge(self.dut.trace_clk)
        self.dut.trace_valid.value = 0

    def pauses(self, share):
        while True:
            yield self.random.random() < share

    async def packets(self, sink, idle_cycles):
        """All packets of a stream, until none has ended for a while and none has begun."""
        packets = []
        while True:
            await ClockCycles(self.dut.aclk, idle_cycles)
            if sink.empty() and sink.idle():
                return packets
            while not sink.empty():
                frame = sink.recv_nowait(compact=False)
                assert frame.tkeep is None or all(frame.tkeep), "TKEEP is not all ones"
                packets.append(bytes(frame.tdata).hex())


# A packet that never ends is found by the limit: the runs take less than half of it.
@cocotb.test(timeout_time=200, timeout_unit="us")
async def run(dut):
    """One run of the plan after the other, each behind a reset; then everything is written down."""
    bench = Bench(dut)
    results = []
    for plan in PLAN["runs"]:
        await bench.start(plan["core_period"])
        await bench.program(plan["writes"])
        # The streams are stalled during the first words.
        for sink in (bench.records, bench.profile):
            sink.clear_pause_generator()
            sink.pause = plan["stalled_words"] > 0
        await bench.feed(plan["words"][: plan["stalled_words"]], plan["gaps"])
        for sink in (bench.records, bench.profile):
            sink.pause = False
            sink.set_pause_generator(bench.pauses(plan["pauses"]))
        await bench.feed(plan["words"][plan["stalled_words"] :], plan["gaps"])
        records = await bench.packets(bench.records, plan["idle_cycles"])
        await bench.program(plan["writes_after"])
        profile = await bench.packets(bench.profile, plan["idle_cycles"])
        reads = [await bench.read(offset) for offset in plan["reads"]]
        results.append(
            {
                "records": records,
                "profile": profile,
                "reads": [{"okay": resp == AxiResp.OKAY, "value": value} for resp, value in reads],
            }
        )
    RESULTS.write_text(json.dumps(results))
