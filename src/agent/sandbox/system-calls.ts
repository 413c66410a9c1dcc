/*
 * A filter of system calls (seccomp), as a program for the kernel. A read-only file system does not prevent connecting to a socket
 * in it: Docker, ssh-agent, tmux, D-Bus or an editor would run commands outside or give out keys. The kernel does not show the
 * filter which socket is meant, so no Unix socket can be opened at all. Pairs of connected sockets, by which a program talks
 * to its own children, can.
 */

interface Processor {
  /** AUDIT_ARCH of the kernel: system calls of other forms, such as 32-bit ones, have other numbers. */
  readonly audit: number;
  readonly socket: number;
  readonly socketpair: number;
  readonly keys: readonly number[]; // add_key, request_key, keyctl
}

const GENERIC = { socket: 198, socketpair: 199, keys: [217, 218, 219] };
const PROCESSORS: Readonly<Record<string, Processor>> = {
  x64: { audit: 0xc000003e, socket: 41, socketpair: 53, keys: [248, 249, 250] },
  arm64: { audit: 0xc00000b7, ...GENERIC },
  riscv64: { audit: 0xc00000f3, ...GENERIC },
  loong64: { audit: 0xc0000102, ...GENERIC },
};
/** Opens files and sockets without system calls of their own. */
const IO_URING_SETUP = 425;
/** On x64: a third form of calls (x32), with the same AUDIT_ARCH. No other processor has such numbers. */
const FIRST_X32 = 0x40000000;

/** Undefined: the numbers of this processor are not known. */
export function systemCallFilter(processor: string, allowsUnixSockets: boolean): Buffer | undefined {
  const numbers = PROCESSORS[processor];
  if (!numbers) return undefined;
  return Buffer.concat([
    load(ARCH),
    ...unlessEqual(numbers.audit, [end(KILL)]),
    load(NUMBER),
    ...ifAtLeast(FIRST_X32, [end(fail(ENOSYS))]),
    ...ifEqual(numbers.socket, socketRules(allowsUnixSockets)),
    ...ifEqual(numbers.socketpair, allowsUnixSockets ? [end(ALLOW)] : PAIR_RULES),
    ...[IO_URING_SETUP, ...numbers.keys].flatMap((call) => ifEqual(call, [end(fail(ENOSYS))])),
    end(ALLOW),
  ]);
}

const [AF_UNIX, AF_INET, AF_INET6, AF_NETLINK] = [1, 2, 10, 16];
const [SOCK_STREAM, SOCK_SEQPACKET] = [1, 5];
const [EPERM, ENOSYS] = [1, 38];

const ALLOW = 0x7fff0000;
const KILL = 0x80000000;
const fail = (error: number) => 0x00050000 + error;

/** Other families are not confined to a network either: by AF_VSOCK a virtual machine reaches its host. */
function socketRules(allowsUnixSockets: boolean): readonly Buffer[] {
  const families = [AF_INET, AF_INET6, AF_NETLINK, ...(allowsUnixSockets ? [AF_UNIX] : [])];
  return [load(argument(0)), ...families.flatMap((family) => ifEqual(family, [end(ALLOW)])), end(fail(EPERM))];
}

/** Not of datagrams: a socket of such a pair can send to any other. */
const PAIR_RULES = [
  load(argument(0)),
  ...ifEqual(AF_UNIX, [
    load(argument(1)),
    and(0xf), // without the flags
    ...[SOCK_STREAM, SOCK_SEQPACKET].flatMap((type) => ifEqual(type, [end(ALLOW)])),
    end(fail(EPERM)),
  ]),
  end(fail(EPERM)),
];

// Offsets in `struct seccomp_data`.
const NUMBER = 0;
const ARCH = 4;
function argument(at: number): number {
  return 16 + 8 * at; // its lower half: all of these are numbers of 32 bits
}

/** Each `then` ends the program. */
function ifEqual(value: number, then: readonly Buffer[]): readonly Buffer[] {
  return [instruction(0x15, value, 0, then.length), ...then];
}

function unlessEqual(value: number, then: readonly Buffer[]): readonly Buffer[] {
  return [instruction(0x15, value, then.length), ...then];
}

function ifAtLeast(value: number, then: readonly Buffer[]): readonly Buffer[] {
  return [instruction(0x35, value, 0, then.length), ...then];
}

function load(offset: number): Buffer {
  return instruction(0x20, offset);
}

function and(mask: number): Buffer {
  return instruction(0x54, mask);
}

function end(result: number): Buffer {
  return instruction(0x06, result);
}

/** `struct sock_filter`; all of these processors store the lowest byte first. */
function instruction(code: number, value: number, ifTrue = 0, ifFalse = 0): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeUInt16LE(code, 0);
  bytes.writeUInt8(ifTrue, 2);
  bytes.writeUInt8(ifFalse, 3);
  bytes.writeUInt32LE(value, 4);
  return bytes;
}
