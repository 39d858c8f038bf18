import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, it, onTestFinished } from 'vitest'

const module = (name: string) => JSON.stringify(new URL(name, import.meta.url).href)

// The grandchild is in a group of its own, which no Ctrl-C of a terminal reaches.
const script = `
import { spawn } from 'node:child_process'
import { endDescendants } from ${module('./end-descendants.mjs')}
import { onInterrupt } from ${module('./on-interrupt.mjs')}
onInterrupt(endDescendants)
const stay = "process.on('SIGTERM', () => {}); setInterval(() => {}, 1000); console.log('up')"
const child = "require('node:child_process').spawn(process.execPath, ['-e', " + JSON.stringify(stay) + "], { detached: true, stdio: 'inherit' });" + stay
spawn(process.execPath, ['-e', child], { stdio: 'inherit' })`

it.each(['SIGINT', 'SIGTERM'] as const)(
  '%s leaves nothing behind of what the tests started',
  async (signal) => {
    const top = spawn(process.execPath, ['--input-type=module', '-e', script], {
      stdio: ['ignore', 'pipe', 'ignore'],
      detached: true,
    })
    onTestFinished(() => void top.kill('SIGKILL'))
    let output = ''
    top.stdout.on('data', (text) => (output += text))
    await expect.poll(() => output, { timeout: 60_000 }).toBe('up\nup\n')
    top.kill(signal)
    // All three hold the other end of this pipe: it closes when the last of them is gone.
    await once(top, 'close')
    expect(top.exitCode).toBe(signal === 'SIGINT' ? 130 : 143)
  },
)
