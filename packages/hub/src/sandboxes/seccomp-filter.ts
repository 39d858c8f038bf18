/** Machines for which a filter can be made, as Node calls them. */
export type FilterMachine = 'x64' | 'arm64'

type Instruction = { code: number; jt?: number; jf?: number; k: number }

/** Numbers of system calls, on x64 and on arm64. From 424 on they are the same everywhere. */
type Call = readonly [x64: number, arm64: number]

const load = 0x20
const jumpIfEqual = 0x15
const jumpIfAtLeast = 0x35
const jumpIfAnyBit = 0x45
const answer = 0x06

const allow = 0x7fff0000
const refuse = (errno: number) => 0x00050000 | errno
const perm = refuse(1)
const notThere = refuse(38)
const noSuchFamily = refuse(97)

/** The offsets of the call number, the machine, and the lower half of an argument in the filter's input. */
const numberAt = 0
const machineAt = 4
const argumentAt = (index: number) => 16 + 8 * index

const machines = { x64: 0xc000003e, arm64: 0xc00000b7 }
/** The x32 numbering of calls on x64, which would bypass rules for the normal numbers. */
const x32 = 0x40000000

/** Calls that reach into the kernel, its keys or mounts, or into the memory and files of other processes. */
const refused: Readonly<Record<string, Call>> = {
  keyctl: [250, 219],
  add_key: [248, 217],
  request_key: [249, 218],
  bpf: [321, 280],
  perf_event_open: [298, 241],
  userfaultfd: [323, 282],
  mount: [165, 40],
  umount2: [166, 39],
  pivot_root: [155, 41],
  open_tree: [428, 428],
  open_tree_attr: [467, 467],
  move_mount: [429, 429],
  fsopen: [430, 430],
  fsconfig: [431, 431],
  fsmount: [432, 432],
  fspick: [433, 433],
  mount_setattr: [442, 442],
  setns: [308, 268],
  name_to_handle_at: [303, 264],
  open_by_handle_at: [304, 265],
  process_vm_readv: [310, 270],
  process_vm_writev: [311, 271],
  pidfd_getfd: [438, 438],
  kcmp: [312, 272],
  init_module: [175, 105],
  finit_module: [313, 273],
  delete_module: [176, 106],
  kexec_load: [246, 104],
  kexec_file_load: [320, 294],
  reboot: [169, 142],
  swapon: [167, 224],
  swapoff: [168, 225],
  acct: [163, 89],
  syslog: [103, 116],
  quotactl: [179, 60],
  quotactl_fd: [443, 443],
  lookup_dcookie: [212, 18],
  settimeofday: [164, 170],
  clock_settime: [227, 112],
  vhangup: [153, 58],
}

/** Reported as not implemented, as a filter cannot check their arguments. Programs fall back to other calls. */
const absent: Readonly<Record<string, Call>> = {
  clone3: [435, 435],
  io_uring_setup: [425, 425],
  io_uring_enter: [426, 426],
  io_uring_register: [427, 427],
}

const onlyX64 = { iopl: 172, ioperm: 173, uselib: 134 }

const clone: Call = [56, 220]
const unshare: Call = [272, 97]
const ptrace: Call = [101, 117]
const ioctl: Call = [16, 29]
const socket: Call = [41, 198]

/** Flags for new namespaces of mounts, control groups, host names, IPC, users, processes and networks. */
const namespaces = 0x7e020000
const timeNamespace = 0x80
/** Attaching to a running process. Debugging own children is allowed. */
const attach = [16, 0x4206]
/** Inserting characters into a terminal as if the user had typed them. */
const terminalInput = [0x5412, 0x541c]
/** Allowed: Unix sockets, IPv4, IPv6 and netlink. Other families lead out of the network namespace. */
const families = [1, 2, 10, 16]

/** The calls refused by number alone, by name, for this machine. */
export function refusedCalls(machine: FilterMachine): Record<string, number> {
  const here = machine === 'x64' ? 0 : 1
  const all = Object.entries({ ...refused, ...absent }).map(([name, call]) => [name, call[here]] as const)
  return { ...Object.fromEntries(all), ...(machine === 'x64' ? onlyX64 : {}) }
}

/**
 * The filter of system calls for `bwrap --seccomp`: it allows what tools need, and refuses calls that could lead out of the sandbox.
 */
export function seccompFilter(machine: FilterMachine): Uint8Array {
  const here = machine === 'x64' ? 0 : 1
  const ofNumber = (call: number, verdict: number) => [
    { code: jumpIfEqual, jt: 0, jf: 1, k: call },
    { code: answer, k: verdict },
  ]
  /** Decides a call by one of its arguments. */
  const ofArgument = (
    call: Call,
    index: number,
    tests: Instruction[],
    verdicts: [yes: number, no: number],
  ) => {
    const [yes, no] = verdicts
    const decided = tests.map((test, at) => ({ ...test, jt: tests.length - at, jf: 0 }))
    const looked = [
      { code: load, k: argumentAt(index) },
      ...decided,
      { code: answer, k: no },
      { code: answer, k: yes },
    ]
    return [{ code: jumpIfEqual, jt: 0, jf: looked.length, k: call[here] }, ...looked]
  }
  const isOneOf = (values: number[]) => values.map((k) => ({ code: jumpIfEqual, k }))
  const hasAnyOf = (bits: number) => [{ code: jumpIfAnyBit, k: bits }]
  return encode([
    { code: load, k: machineAt },
    { code: jumpIfEqual, jt: 1, jf: 0, k: machines[machine] },
    { code: answer, k: perm },
    { code: load, k: numberAt },
    ...(machine === 'x64'
      ? [
          { code: jumpIfAtLeast, jt: 0, jf: 1, k: x32 },
          { code: answer, k: notThere },
        ]
      : []),
    ...Object.values(absent).flatMap((call) => ofNumber(call[here], notThere)),
    ...Object.values(refused).flatMap((call) => ofNumber(call[here], perm)),
    ...(machine === 'x64' ? Object.values(onlyX64).flatMap((call) => ofNumber(call, perm)) : []),
    ...ofArgument(clone, 0, hasAnyOf(namespaces), [perm, allow]),
    ...ofArgument(unshare, 0, hasAnyOf(namespaces | timeNamespace), [perm, allow]),
    ...ofArgument(ptrace, 0, isOneOf(attach), [perm, allow]),
    ...ofArgument(ioctl, 1, isOneOf(terminalInput), [perm, allow]),
    ...ofArgument(socket, 0, isOneOf(families), [allow, noSuchFamily]),
    { code: answer, k: allow },
  ])
}

function encode(program: readonly Instruction[]): Uint8Array {
  const bytes = new Uint8Array(program.length * 8)
  const view = new DataView(bytes.buffer)
  for (const [at, { code, jt = 0, jf = 0, k }] of program.entries()) {
    view.setUint16(at * 8, code, true)
    view.setUint8(at * 8 + 2, jt)
    view.setUint8(at * 8 + 3, jf)
    view.setUint32(at * 8 + 4, k, true)
  }
  return bytes
}
