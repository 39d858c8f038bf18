import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, onTestFinished } from 'vitest'
import { takeTurns } from './take-turns.mjs'

function lockFile(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'turns-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return path.join(folder, 'a', 'lock')
}

/** A process that has taken its turn and holds on to it until it is killed. */
async function holder(file: string) {
  const module = JSON.stringify(fileURLToPath(new URL('./take-turns.mjs', import.meta.url)))
  const script = `import { takeTurns } from ${module}
    takeTurns(${JSON.stringify(file)}, () => new Promise((resolve) => { console.log('mine'); setTimeout(resolve, 60_000) }))`
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  await once(child.stdout, 'data')
  return child
}

describe('taking turns', () => {
  it('lets one caller through at a time, and all of them in the end', async () => {
    const file = lockFile()
    let inside = 0
    let most = 0
    const turn = () =>
      takeTurns(file, async () => {
        most = Math.max(most, ++inside)
        await new Promise((resolve) => setImmediate(resolve))
        inside -= 1
      })
    await Promise.all([turn(), turn(), turn()])
    expect(most).toBe(1)
    expect(existsSync(file)).toBe(false)
  })

  it('gives the turn back when the work fails', async () => {
    const file = lockFile()
    await expect(takeTurns(file, () => Promise.reject(new Error('no disk')))).rejects.toThrow('no disk')
    expect(await takeTurns(file, async () => 'next')).toBe('next')
  })

  it('waits for another process, says whose turn it is, and goes on when that one was killed', async () => {
    const file = lockFile()
    const child = await holder(file)
    const waitingFor = new Promise<string>((resolve) => {
      void takeTurns(file, async () => resolve('not waited at all'), resolve)
    })
    expect(await waitingFor).toBe(String(child.pid))
    child.kill('SIGKILL')
    expect(await takeTurns(file, async () => 'mine')).toBe('mine')
  })

  it('does not trust a process number that lives on under another program', async () => {
    const file = lockFile()
    await takeTurns(file, async () => {})
    writeFileSync(file, `${process.pid} long ago`)
    utimesSync(file, new Date(0), new Date(0))
    expect(await takeTurns(file, async () => readFileSync(file, 'utf8'))).not.toContain('long ago')
  })
})
