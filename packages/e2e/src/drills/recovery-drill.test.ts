import { spawn } from 'node:child_process'
import { command } from '@farhand/testkit/program-process'
import { expect, inject, it } from 'vitest'

const rounds = inject('long') ? 50 : 4
const { PATH = '', HOME = '', TMPDIR = '' } = process.env

it.each(inject('long') ? ['auto', 'process'] : ['auto'])(
  `S15 W29 W38 what is killed in the middle of ${rounds} turns comes back with every byte and every word (%s)`,
  async (sandbox) => {
    const seed = inject('seed') ?? 1 + Math.floor(Math.random() * 2 ** 31)
    const words = [
      '--kill',
      'random',
      '--rounds',
      String(rounds),
      '--sandbox',
      sandbox,
      '--seed',
      String(seed),
    ]
    const child = spawn(process.execPath, [command, 'drill', ...words], { env: { PATH, HOME, TMPDIR } })
    let said = ''
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (text) => {
        said += text
      })
    }
    const code = await new Promise((resolve) => child.on('close', resolve))
    expect(code, said).toBe(0)
    expect(said).toContain(`${rounds} identical trees, ${rounds} continued conversations`)
  },
  rounds * 120_000,
)
