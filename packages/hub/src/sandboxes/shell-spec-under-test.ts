import { mkdirSync } from 'node:fs'
import path from 'node:path'
import { RunId, randomName } from '@farhand/protocol/wire/ids'
import type { SandboxSpec } from './sandbox-host.ts'

export const runUnderTest = RunId.parse('run_0123456789abcdef')

/** A sandbox whose program is a shell that executes its input, with generous limits. */
export function shellSpec(
  folder: string,
  input: SandboxSpec['input'],
  more: Partial<SandboxSpec> = {},
): SandboxSpec {
  const id = `sb_${randomName(12)}`
  const socketFolder = path.join(folder, 'doors', id)
  mkdirSync(socketFolder, { recursive: true })
  return {
    id,
    run: runUnderTest,
    program: ['/bin/sh'],
    input,
    readable: [],
    socketFolder,
    network: 'full',
    limits: { memoryMb: 1024, processes: 200, cpus: 2, diskMb: 64 },
    ...more,
  }
}
