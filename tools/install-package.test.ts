import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { installPackage, type Machine } from './install-package.ts'
import { installChromium } from './web/install-chromium.ts'

const bubblewrap = { program: 'bwrap', package: 'bubblewrap' }

/** A machine with these programs; `refuse` says why a command fails there. */
function machine(programs: string[], refuse: (words: string) => string | null = () => null) {
  const folder = mkdtempSync(path.join(tmpdir(), 'farhand-apt-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const ran: string[] = []
  const made: Machine = {
    isRoot: true,
    has: (program) => programs.includes(program),
    run: async (words) => {
      const verb = words.find((word) => word === 'install' || word === 'update')!
      ran.push(verb)
      const why = refuse(ran.join(' '))
      if (why) throw new Error(why)
      if (verb === 'install') programs.push('bwrap')
    },
    lock: path.join(folder, 'lock'),
    out: { isTTY: false, write: () => true } as unknown as NodeJS.WriteStream,
  }
  return { made, ran }
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
    expect(ran).toEqual(['install'])
  })

  it('looks for news of packages only if it fails without', async () => {
    const { made, ran } = machine(['apt-get'], (words) => (words === 'install' ? 'unable to locate' : null))
    expect(await installPackage(bubblewrap, made)).toBeNull()
    expect(ran).toEqual(['install', 'update', 'install'])
  })

  it('says why it could not be done', async () => {
    expect(await installPackage(bubblewrap, machine(['apt-get'], () => 'no network').made)).toContain(
      'no network',
    )
    expect(await installPackage(bubblewrap, machine([]).made)).toContain('with the tools of your system')
  })

  it('asks nobody for a password', async () => {
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
    expect(ran).toEqual(['install'])
  })

  it('is content with the one that has windows, where there is no other', async () => {
    const none = (words: string) => `unable to locate: ${words}`
    expect(await installChromium(machine(['apt-get', 'chromium'], none).made)).toBeNull()
    expect(await installChromium(machine(['apt-get'], none).made)).toContain('unable to locate')
  })
})
