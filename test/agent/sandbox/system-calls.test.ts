import { describe, expect, test } from "vitest";
import { systemCallFilter } from "../../../src/agent/sandbox/system-calls.js";

interface SystemCall {
  readonly arch: number;
  readonly number: number;
  readonly arguments: readonly number[];
}

/** What the kernel would do: runs the program on `struct seccomp_data`. */
function decide(program: Buffer, call: SystemCall): string {
  const data = new Map([
    [0, call.number],
    [4, call.arch],
    ...call.arguments.map((value, at): [number, number] => [16 + 8 * at, value]),
  ]);
  let value = 0;
  for (let at = 0; at < program.length / 8; at++) {
    const [code, yes, no] = [
      program.readUInt16LE(at * 8),
      program.readUInt8(at * 8 + 2),
      program.readUInt8(at * 8 + 3),
    ];
    const operand = program.readUInt32LE(at * 8 + 4);
    if (code === 0x20) value = data.get(operand) ?? Number.NaN;
    else if (code === 0x54) value = (value & operand) >>> 0;
    else if (code === 0x15) at += value === operand ? yes : no;
    else if (code === 0x35) at += value >= operand ? yes : no;
    else if (code === 0x06) return OUTCOMES[operand] ?? `${operand}`;
    else throw new Error(`instruction ${code}`);
  }
  throw new Error("the program has no end");
}

const OUTCOMES: Readonly<Record<number, string>> = {
  [0x7fff0000]: "allowed",
  [0x80000000]: "killed",
  [0x00050001]: "EPERM",
  [0x00050026]: "ENOSYS",
};

const X64 = 0xc000003e;
const ARM64 = 0xc00000b7;
const I386 = 0x40000003;
const ARM32 = 0x40000028;
const [STREAM, DGRAM, RAW, SEQPACKET, CLOEXEC] = [1, 2, 3, 5, 0o2000000];
const [UNIX, INET, INET6, NETLINK, ALG, VSOCK] = [1, 2, 10, 16, 38, 40];

const FORMS = [
  { processor: "x64", arch: X64, other: I386, socket: 41, pair: 53, keyctl: 250 },
  { processor: "arm64", arch: ARM64, other: ARM32, socket: 198, pair: 199, keyctl: 219 },
];

describe.each(FORMS)("the filter of system calls on $processor", ({ processor, arch, other, socket, pair, keyctl }) => {
  const judge = (number: number, args: readonly number[] = [], allowsUnixSockets = false) =>
    decide(systemCallFilter(processor, allowsUnixSockets) ?? Buffer.alloc(0), { arch, number, arguments: args });

  test("opens sockets of networks, and no others", () => {
    expect([INET, INET6, NETLINK].map((family) => judge(socket, [family, STREAM]))).toEqual(Array(3).fill("allowed"));
    expect([0, UNIX, ALG, VSOCK, 0xffffffff].map((family) => judge(socket, [family, STREAM]))).toEqual(
      Array(5).fill("EPERM"),
    );
  });

  test("connects pairs, but none of datagrams, which can be sent anywhere", () => {
    const kinds = [STREAM, STREAM | CLOEXEC, SEQPACKET, DGRAM, DGRAM | CLOEXEC, RAW];
    expect(kinds.map((kind) => judge(pair, [UNIX, kind]))).toEqual([
      ...Array(3).fill("allowed"),
      ...Array(3).fill("EPERM"),
    ]);
    expect(judge(pair, [VSOCK, STREAM])).toBe("EPERM");
  });

  test("has no way around: other forms of calls, io_uring, keyrings", () => {
    const program = systemCallFilter(processor, true) ?? Buffer.alloc(0);
    expect(decide(program, { arch: other, number: 1, arguments: [] })).toBe("killed");
    expect([socket + 0x40000000, 425, keyctl].map((number) => judge(number, [UNIX]))).toEqual(Array(3).fill("ENOSYS"));
  });

  test("lets all other calls through", () => {
    expect([0, 1, 42, 56, 57, 59, 203, 435].map((number) => judge(number, [UNIX, DGRAM]))).toEqual(
      Array(8).fill("allowed"),
    );
  });

  test("opens Unix sockets where that is wanted", () => {
    expect(judge(socket, [UNIX, STREAM], true)).toBe("allowed");
    expect(judge(pair, [UNIX, DGRAM], true)).toBe("allowed");
    expect(judge(socket, [VSOCK, STREAM], true)).toBe("EPERM");
  });
});

test("there is no filter for a processor whose numbers are not known", () => {
  expect(systemCallFilter("s390x", false)).toBeUndefined();
});
