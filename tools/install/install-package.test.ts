import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { installChromium } from './install-chromium.ts'
import { installPackage, type Machine, nextTry } from './install-package.ts'

const bubblewrap = { program: 'bwrap', package: 'bubblewrap' }

/** A machine with these programs; `refuse` says why a command fails there, of which each takes this long. */
function machine(programs: string[], refuse: (words: string) => string | null = () => null, tookMs = 1000) {
  const folder = mkdtempSync(path.join(tmpdir(), 'farhand-apt-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const ran: string[] = []
  const notes = new Map<string, string>()
  const half = new Set<string>()
  let nowMs = 0
  const made: Machine = {
    isRoot: true,
    has: (program) => programs.includes(program),
    isHalf: (name) => half.has(name),
    run: async (words) => {
      const verbs = ['--download-only', 'install', 'update', '--configure']
      const verb = verbs.find((verb) => words.includes(verb))!.replace(/^--(\w+).*/, '$1')
      ran.push(verb)
      nowMs += tookMs
      const why = refuse(ran.join(' '))
      if (why) throw new Error(why)
      if (verb === 'install') half.clear()
      if (verb === 'install') programs.push(words.at(-1) === 'bubblewrap' ? 'bwrap' : words.at(-1)!)
    },
    lock: path.join(folder, 'lock'),
    pause: async (ms) => {
      nowMs += ms
    },
    now: () => nowMs,
    refused: { of: (name) => notes.get(name) ?? null, note: (name, why) => void notes.set(name, why) },
    out: { isTTY: false, write: () => true } as unknown as NodeJS.WriteStream,
  }
  return { made, ran, half }
}

describe('installing a package of the system', () => {
  it('is nothing to do where it is', async () => {
    const { made, ran } = machine(['bwrap', 'apt-get'])
    expect(await installPackage(bubblewrap, made)).toBeNull()
    expect(ran).toEqual([])
  })

  it('is done once, when several want it', async () => {
    const { made, ran } = machine(['apt-get'])
    expect(await Promise.all([installPackage(bubblewrap, made), installPackage(bubblewrap, made)])).toEqual([
      null,
      null,
    ])
    expect(ran).toEqual(['download', 'install'])
  })

  it('looks for news of packages only if it fails without', async () => {
    const { made, ran } = machine(['apt-get'], (words) =>
      words === 'download' ? 'Unable to locate package' : null,
    )
    expect(await installPackage(bubblewrap, made)).toBeNull()
    expect(ran).toEqual(['download', 'update', 'download', 'install'])
  })

  it('is tried again when a mirror fails once, at any step', async () => {
    const steps = ['download', 'update', 'download', 'install']
    for (const [at, step] of steps.entries()) {
      const upTo = steps.slice(0, at + 1).join(' ')
      const { made, ran } = machine(['apt-get'], (words) =>
        words === 'download' ? 'Unable to locate package' : words === upTo ? '503 Service Unavailable' : null,
      )
      expect(await installPackage(bubblewrap, made), step).toBeNull()
      expect(ran.at(-1)).toBe('install')
    }
  })

  it('waits for another program that is installing, also at length', async () => {
    const { made, ran } = machine(['apt-get'], (words) =>
      words.split(' ').length < 60 ? 'E: Could not get lock /var/lib/apt/lists/lock' : null,
    )
    expect(await installPackage(bubblewrap, made)).toBeNull()
    expect(ran.at(-1)).toBe('install')
  })

  it('ends first what was killed in the middle of an install', async () => {
    const { made, ran } = machine(['apt-get'], (words) =>
      words.includes('configure') ? null : 'E: dpkg was interrupted, you must manually run',
    )
    expect(await installPackage(bubblewrap, made)).toBeNull()
    expect(ran).toEqual(['download', 'configure', 'update', 'download', 'install'])
  })

  it('is ended where only its program is there yet: one that another program is unpacking does not start', async () => {
    const { made, ran, half } = machine(['apt-get', 'bwrap'])
    half.add('bubblewrap')
    expect(await installPackage(bubblewrap, { ...made, isRoot: false })).toContain('sudo apt-get install')
    expect(await installPackage(bubblewrap, made)).toBeNull()
    expect(ran).toEqual(['download', 'install'])
    const broken = machine(['apt-get', 'bwrap'], () => 'no network')
    broken.half.add('bubblewrap')
    expect(await installPackage(bubblewrap, broken.made)).toContain('no network')
  })

  it('is not tried again for a package that no mirror has', () => {
    const why = 'E: Unable to locate package bubblewrap'
    const tried = { why, tries: 2, spentMs: 0, isSilent: false }
    expect(nextTry({ ...tried, hasNews: true })).toBeNull()
    expect(nextTry({ ...tried, hasNews: false })).not.toBeNull()
  })

  it('is tried once for all projects of the tests, and soon given up where mirrors are silent', async () => {
    const { made, ran } = machine(['apt-get'], () => 'Connection timed out', 60_000)
    const why = await installPackage(bubblewrap, made)
    expect(why).toContain('timed out')
    expect(ran).toEqual(['download', 'update', 'download'])
    expect(await installPackage(bubblewrap, made)).toBe(why)
    expect(ran).toHaveLength(3)
    expect(await installPackage({ program: 'tmux', package: 'tmux' }, made)).toContain('timed out')
    expect(ran).toHaveLength(4)
  })

  it('says why it could not be done', async () => {
    expect(await installPackage(bubblewrap, machine(['apt-get'], () => 'no network').made)).toContain(
      'no network',
    )
    expect(await installPackage(bubblewrap, machine([]).made)).toContain('with the tools of your system')
  })

  it('does not ask for a password', async () => {
    const { made, ran } = machine(['apt-get'])
    expect(await installPackage(bubblewrap, { ...made, isRoot: false })).toContain(
      'sudo apt-get install bubblewrap',
    )
    expect(ran).toEqual([])
  })
})

describe('installing a browser', () => {
  it('has the one without windows beside the one with them', async () => {
    const { made, ran } = machine(['apt-get', 'chromium'])
    expect(await installChromium(made)).toBeNull()
    expect(ran).toEqual(['download', 'install'])
  })

  it('is content with the one that has windows, where there is no other', async () => {
    const none = (words: string) => `Unable to locate package: ${words}`
    expect(await installChromium(machine(['apt-get', 'chromium'], none).made)).toBeNull()
    expect(await installChromium(machine(['apt-get'], none).made)).toContain('Unable to locate')
  })
})
