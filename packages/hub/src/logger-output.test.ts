import { execFileSync } from 'node:child_process'
import { closeSync, constants, openSync, readFileSync, readSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { LoggerOutput } from './logger-output.ts'

async function folder(): Promise<string> {
  const made = await mkdtemp(join(tmpdir(), 'farhand-output-'))
  onTestFinished(() => rm(made, { recursive: true, force: true }))
  return made
}

describe.runIf(process.platform === 'linux')('what a hub reports', () => {
  it('is in the file, line by line, also what was written last', async () => {
    const file = join(await folder(), 'log')
    const fd = openSync(file, 'a')
    const output = new LoggerOutput(fd)
    const lines = Array.from({ length: 2000 }, (_, nth) => `{"nth":${nth}}\n`)
    for (const line of lines) output.write(line)
    await vi.waitFor(() => expect(readFileSync(file, 'utf8')).toBe(lines.join('')), { timeout: 60_000 })
    output.write('{"last":true}\n')
    output.close()
    output.write('{"too":"late"}\n')
    closeSync(fd)
    expect(readFileSync(file, 'utf8')).toBe(`${lines.join('')}{"last":true}\n`)
  })

  it('does not block its callers when it cannot be written, and can be closed', () => {
    const fd = openSync('/dev/full', 'w')
    onTestFinished(() => closeSync(fd))
    const output = new LoggerOutput(fd)
    for (let nth = 0; nth < 1000; nth++) output.write(`${'x'.repeat(5000)}\n`)
    output.close()
  })

  it('says how much of it was dropped while it could not be written, and tears no line', async () => {
    const pipe = join(await folder(), 'pipe')
    execFileSync('mkfifo', [pipe])
    const fd = openSync(pipe, constants.O_RDWR | constants.O_NONBLOCK)
    onTestFinished(() => closeSync(fd))
    const output = new LoggerOutput(fd)
    onTestFinished(() => output.close())
    const line = `{"text":"${'x'.repeat(989)}"}\n`
    for (let nth = 0; nth < 3000; nth++) output.write(line)
    let text = ''
    const buffer = Buffer.alloc(64 * 1024)
    const read = () => {
      output.flush()
      text += buffer.toString('utf8', 0, readSync(fd, buffer))
      expect(text).toContain('dropped')
    }
    await vi.waitFor(read, { timeout: 60_000, interval: 1 })
    const said = text.trimEnd().split('\n')
    const { lines } = JSON.parse(said.pop()!)
    expect(said.length + lines).toBe(3000)
    expect(new Set(said)).toEqual(new Set([line.trimEnd()]))
  })
})
