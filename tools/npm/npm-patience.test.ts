import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { sourcesUnder } from '../house/source.ts'
import { packPatience } from '../pack/install-packed.ts'
import { npmPatience } from './npm-patience.mjs'

const root = fileURLToPath(new URL('../..', import.meta.url))

it.each([
  ['the packed command', packPatience],
  ['little patience', npmPatience({ longestMs: 100, answerMs: 1000 })],
])('npm asks the registry when it installs with the flags for %s', async (_, flags) => {
  const empty = await mkdtemp(path.join(tmpdir(), 'farhand-npm-'))
  try {
    const env = { PATH: process.env.PATH, HOME: empty, npm_config_cache: path.join(empty, 'cache') }
    // No program can listen on port 1 of the loopback without special rights: npm has to try, and to say that it cannot.
    const words = ['view', 'farhand-of-a-test', '--registry=http://127.0.0.1:1', ...flags]
    const { stderr } = await promisify(execFile)('npm', words, { env, cwd: empty }).catch((error) => error)
    expect(stderr).toContain('ECONNREFUSED')
  } finally {
    await rm(empty, { recursive: true, force: true, maxRetries: 5 })
  }
})

it('no other file tells npm how long to wait', () => {
  const own = ['tools/npm/npm-patience.mjs', 'tools/npm/npm-patience.test.ts']
  const found = sourcesUnder(root).filter(({ text }) => /fetch-retr|fetch-timeout/.test(text))
  expect(found.map(({ path }) => path).filter((file) => !own.includes(file))).toEqual([])
})
