import { describe, expect, it } from 'vitest'
import { type FilterMachine, refusedCalls, seccompFilter } from './seccomp-filter.ts'

const allow = 'allow'
const numbers = {
  x64: {
    read: 0,
    clone: 56,
    ioctl: 16,
    socket: 41,
    ptrace: 101,
    unshare: 272,
    execve: 59,
    openat: 257,
    chroot: 161,
  },
  arm64: {
    read: 63,
    clone: 220,
    ioctl: 29,
    socket: 198,
    ptrace: 117,
    unshare: 97,
    execve: 221,
    openat: 56,
    chroot: 51,
  },
}
const machineCodes = { x64: 0xc000003e, arm64: 0xc00000b7 }

/** The kernel's side: runs the program over one call, and says what becomes of that. */
function verdict(program: Uint8Array, machine: number, call: number, args: bigint[] = []): string {
  const data = new DataView(new ArrayBuffer(64))
  data.setUint32(0, call, true)
  data.setUint32(4, machine, true)
  for (const [at, value] of args.entries()) data.setBigUint64(16 + at * 8, value, true)
  const view = new DataView(program.buffer)
  let held = 0
  for (let at = 0; at * 8 < program.length; at++) {
    const [code, jt, jf] = [
      view.getUint16(at * 8, true),
      view.getUint8(at * 8 + 2),
      view.getUint8(at * 8 + 3),
    ]
    const k = view.getUint32(at * 8 + 4, true)
    const jump = (yes: boolean) => {
      at += yes ? jt : jf
    }
    if (code === 0x20) held = data.getUint32(k, true)
    else if (code === 0x15) jump(held === k)
    else if (code === 0x35) jump(held >= k)
    else if (code === 0x45) jump((held & k) !== 0)
    else if (code === 0x06) return k === 0x7fff0000 ? allow : `errno ${k - 0x00050000}`
    else throw new Error(`no such instruction: ${code}`)
  }
  throw new Error('the program ran over its end')
}

describe.each(['x64', 'arm64'] as FilterMachine[])('a filter for %s', (machine) => {
  const program = seccompFilter(machine)
  const call = numbers[machine]
  const of = (number: number, ...args: (number | bigint)[]) =>
    verdict(program, machineCodes[machine], number, args.map(BigInt))

  it('lets through the usual system calls', () => {
    for (const number of [call.read, call.execve, call.openat, call.chroot]) expect(of(number)).toBe(allow)
    const thread = 0x3d0f00
    expect(of(call.clone, thread)).toBe(allow)
    expect(of(call.clone, 17)).toBe(allow)
    expect(of(call.unshare, 0x400)).toBe(allow)
    for (const family of [1, 2, 10, 16]) expect(of(call.socket, family, 1)).toBe(allow)
    const [traceMe, windowSize] = [0, 0x5413]
    expect(of(call.ptrace, traceMe)).toBe(allow)
    expect(of(call.ioctl, 0, windowSize)).toBe(allow)
  })

  it.each(Object.entries(refusedCalls(machine)))('refuses %s', (name, number) => {
    const absent = name === 'clone3' || name.startsWith('io_uring')
    expect(of(number)).toBe(absent ? 'errno 38' : 'errno 1')
  })

  it.each([
    ['mounts', 0x00020000],
    ['control groups', 0x02000000],
    ['names', 0x04000000],
    ['IPC', 0x08000000],
    ['users', 0x10000000],
    ['processes', 0x20000000],
    ['networks', 0x40000000],
  ])('refuses a new namespace of %s, with any other flags', (_, flag) => {
    expect(of(call.clone, flag | 17)).toBe('errno 1')
    expect(of(call.unshare, flag)).toBe('errno 1')
    expect(of(call.unshare, BigInt(flag) | (1n << 40n))).toBe('errno 1')
  })

  it('refuses to trace a process that did not ask for it', () => {
    for (const request of [16, 0x4206]) expect(of(call.ptrace, request, 1)).toBe('errno 1')
  })

  it('refuses to type into a terminal, also with bits set that the kernel ignores', () => {
    for (const request of [0x5412, 0x541c]) {
      expect(of(call.ioctl, 0, request)).toBe('errno 1')
      expect(of(call.ioctl, 0, BigInt(request) | (1n << 32n))).toBe('errno 1')
    }
  })

  it('refuses sockets that a network namespace does not contain', () => {
    const [packet, crypto, machineToMachine] = [17, 38, 40]
    for (const family of [packet, crypto, machineToMachine]) expect(of(call.socket, family)).toBe('errno 97')
  })

  it('refuses all system calls in the numbering of another architecture', () => {
    const i386 = 0x40000003
    expect(verdict(program, i386, call.read)).toBe('errno 1')
    if (machine === 'x64') expect(of(0x40000000 | call.read)).toBe('errno 38')
  })
})
