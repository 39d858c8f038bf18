import {
  lstatSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { temporaryFolder } from '../agent/agent-under-test.ts'
import { installFiles } from './install-files.ts'

describe('a file that an agent needs at its start', () => {
  it('is written with all folders above it, and programs can be run', async () => {
    const folder = await temporaryFolder()
    const at = (name: string) => path.join(folder, name)
    const places = {
      folders: [at('.codex')],
      files: { [at('a/b/run')]: '#!/bin/sh\n', [at('a/b/text')]: 'text' },
      links: { [at('home/.config/x')]: '/somewhere/x' },
    }
    for (const _ of ['once', 'again']) installFiles(places)
    expect(statSync(at('.codex')).isDirectory()).toBe(true)
    expect(statSync(at('a/b/run')).mode & 0o111).toBe(0o100)
    expect(readFileSync(at('a/b/text'), 'utf8')).toBe('text')
    expect(readlinkSync(at('home/.config/x'))).toBe('/somewhere/x')
  })

  it('replaces a link that the agent left there, and writes nothing through it', async () => {
    const folder = await temporaryFolder()
    const at = (name: string) => path.join(folder, name)
    writeFileSync(at('victim'), 'as it was')
    symlinkSync(at('victim'), at('file'))
    installFiles({ folders: [], files: { [at('file')]: 'new' }, links: {} })
    expect(readFileSync(at('victim'), 'utf8')).toBe('as it was')
    expect(lstatSync(at('file')).isFile()).toBe(true)
  })

  it('is no link where the agent has something of its own', async () => {
    const folder = await temporaryFolder()
    mkdirSync(path.join(folder, '.config'))
    installFiles({ folders: [], files: {}, links: { [path.join(folder, '.config')]: '/elsewhere' } })
    expect(lstatSync(path.join(folder, '.config')).isDirectory()).toBe(true)
  })
})
