import { spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { expect, it, onTestFinished } from 'vitest'

const root = fileURLToPath(new URL('..', import.meta.url))

async function npmStart() {
  const data = await mkdtemp(path.join(tmpdir(), 'farhand-start-'))
  const args = ['start', '--silent', '--', '--port', '0', '--data', data, '--json']
  // A group of its own, so that nothing of it can outlive the test.
  const npm = spawn('npm', args, { cwd: root, detached: true, stdio: ['ignore', 'pipe', 'ignore'] })
  const closed = new Promise<void>((resolve) => npm.stdout.on('close', resolve))
  onTestFinished(async () => {
    try {
      process.kill(-npm.pid!, 'SIGKILL')
    } catch {
      // All of it is gone already.
    }
    await closed
    await rm(data, { recursive: true, force: true })
  })
  const lines: string[] = []
  const first = new Promise<void>((resolve) => {
    createInterface({ input: npm.stdout }).on('line', (line) => {
      lines.push(line)
      resolve()
    })
  })
  await first
  // The hub holds the other end of standard output: it closes when npm, its shell and the hub are all gone.
  return { npm, lines, gone: closed }
}

it('npm start prints one line for programs, and a signal to npm reaches the hub behind it', async () => {
  const { npm, lines, gone } = await npmStart()
  expect(lines).toEqual([expect.stringMatching(/^\{"url":"http:\/\/127\.0\.0\.1:\d+","token":"fh_\w+"\}$/)])
  const { url } = JSON.parse(lines[0]!)
  expect((await fetch(`${url}/healthz`)).status).toBe(200)
  npm.kill('SIGTERM')
  await gone
  await expect(fetch(`${url}/healthz`)).rejects.toThrow()
  expect(lines).toHaveLength(1)
})
