import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, onTestFinished } from 'vitest'

const tools = fileURLToPath(new URL('.', import.meta.url))

/** A bare clone with only the tools in it, whose npm is the given script. */
function clone(npm: string): string {
  const root = mkdtempSync(path.join(tmpdir(), 'farhand-clone-'))
  onTestFinished(() => rm(root, { recursive: true, force: true, maxRetries: 10 }))
  const isTool = (file: string) => statSync(file).isDirectory() || file.endsWith('.mjs')
  cpSync(tools, path.join(root, 'tools'), { recursive: true, filter: isTool })
  writeFileSync(path.join(root, 'package.json'), '{"engines":{"node":">=20"},"workspaces":[]}')
  writeFileSync(path.join(root, 'npm.js'), npm)
  writeFileSync(
    path.join(root, 'start.mjs'),
    `import { prepare } from './tools/prepare.mjs'
     await prepare()
     console.log('prepared')`,
  )
  return root
}

function start(root: string) {
  const env = { ...process.env, npm_execpath: path.join(root, 'npm.js') }
  const child = spawn(process.execPath, ['start.mjs'], { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (output += text))
  const closed = once(child, 'close').then(([code]) => code as number | null)
  return { child, closed, output: () => output }
}

const lock = (root: string) => path.join(root, '.cache', 'install.lock')

describe('an install', () => {
  it.each(['SIGINT', 'SIGTERM'] as const)(
    'that is interrupted with %s has ended, all of it, before the next may begin',
    async (signal) => {
      // Ends slowly, as npm does when it puts back what was there; and has a child, as npm has for scripts.
      const root = clone(`
        const { spawn } = require('node:child_process')
        const { appendFileSync, existsSync } = require('node:fs')
        const script = spawn(process.execPath, ['-e', "for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => setTimeout(() => { require('node:fs').appendFileSync('ended', 'script '); process.exit() }, 100)); console.log('up'); setInterval(() => {}, 1000)"], { stdio: ['ignore', 'pipe', 'ignore'] })
        const scriptEnded = new Promise((resolve) => script.on('exit', resolve))
        for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => scriptEnded.then(() => setTimeout(() => {
          appendFileSync('ended', existsSync('.cache/install.lock') ? 'npm, locked' : 'npm, not locked')
          process.exit(1)
        }, 100)))
        script.stdout.on('data', () => appendFileSync('begun', String(process.pid)))
        setInterval(() => {}, 1000)`)
      const { child, closed, output } = start(root)
      await expect.poll(() => existsSync(path.join(root, 'begun')), { timeout: 60_000 }).toBe(true)
      child.kill(signal)
      expect(await closed).toBe(signal === 'SIGINT' ? 130 : 143)
      expect(readFileSync(path.join(root, 'ended'), 'utf8')).toBe('script npm, locked')
      expect(existsSync(lock(root))).toBe(false)
      expect(output()).not.toContain('could not be installed')
    },
  )

  it('that stumbles over the remains of another begins again without them, once', async () => {
    const root = clone(`
      const { appendFileSync, existsSync, mkdirSync } = require('node:fs')
      appendFileSync('tries', 'x')
      if (!existsSync('node_modules/half')) return mkdirSync('node_modules')
      console.error('npm error code ENOTEMPTY')
      process.exit(1)`)
    mkdirSync(path.join(root, 'node_modules', 'half'), { recursive: true })
    const { closed, output } = start(root)
    expect(await closed, output()).toBe(0)
    expect(readFileSync(path.join(root, 'tries'), 'utf8')).toBe('xx')
    expect(output()).toContain('prepared')
  })
})
