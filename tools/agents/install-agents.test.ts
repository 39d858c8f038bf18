import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { installedAt, isInstalled } from '../../packages/testkit/src/real-agents/installed-at.ts'
import { installAgents } from './install-agents.ts'

const agent = (id: string) => ({ id, packages: { [`@farm/${id}`]: '1.2.3' } })
const [hen, fox] = [agent('hen'), agent('fox')]

function emptyShelf(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'farhand-shelf-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return path.join(folder, 'agents')
}

/** A registry and what is shown meanwhile: does what npm does, as far as the code looks; `before` is asked first. */
function farm(before: (names: string[]) => void = () => {}) {
  const [shelf, installs, shown] = [emptyShelf(), [] as string[], [] as string[]]
  const out = { isTTY: false, write: (text: string) => shown.push(text) > 0 } as unknown as NodeJS.WriteStream
  const install = async (folder: string) => {
    const { dependencies } = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8'))
    const names = Object.keys(dependencies)
    installs.push(...names)
    before(names)
    for (const name of names) put(folder, name, dependencies[name])
  }
  return { shelf, installs, shown, installing: { shelf, install, out } }
}

function put(folder: string, name: string, version: string): void {
  const at = path.join(folder, 'node_modules', name)
  mkdirSync(at, { recursive: true })
  writeFileSync(path.join(at, 'package.json'), JSON.stringify({ name, version }))
}

describe('installing agents', () => {
  it('costs nothing the second time', async () => {
    const { shelf, installing, installs } = farm()
    expect(await installAgents([hen, fox], installing)).toEqual(new Map())
    expect([hen, fox].every((agent) => isInstalled(agent, shelf))).toBe(true)
    await installAgents([hen, fox], installing)
    expect(installs.sort()).toEqual(['@farm/fox', '@farm/hen'])
  })

  it('installs once when two want the same at once', async () => {
    const { installing, installs, shown } = farm()
    await Promise.all([installAgents([hen], installing), installAgents([hen], installing)])
    expect(installs).toEqual(['@farm/hen'])
    expect(shown).toContain(
      `Another command (process ${process.pid}) is installing agents; waiting for it.\n`,
    )
  })

  it('says which cannot be had and why, and has the others', async () => {
    const { shelf, installing, shown } = farm((names) => {
      if (names.includes('@farm/fox')) throw new Error('npm error code ECONNREFUSED')
    })
    const troubles = await installAgents([hen, fox], installing)
    expect([...troubles.keys()]).toEqual(['fox'])
    expect(shown).toEqual([
      'Installing agents: hen, fox ...\n',
      expect.stringMatching(/^✗ Installing agents/),
    ])
    expect(troubles.get('fox')).toContain('The npm registry could not be reached')
    expect([hen, fox].map((agent) => isInstalled(agent, shelf))).toEqual([true, false])
    expect(readdirSync(shelf)).toEqual([path.basename(installedAt(hen, shelf))])
  })

  it('takes away what a killed install has left, and does not use it', async () => {
    const { shelf, installing } = farm()
    const draft = path.join(shelf, '.hen-killed')
    put(draft, '@farm/hen', '1.2.3')
    expect(isInstalled(hen, shelf)).toBe(false)
    await installAgents([hen], installing)
    expect(existsSync(draft)).toBe(false)
    expect(isInstalled(hen, shelf)).toBe(true)
  })

  it('installs anew what is not whole, or is another version than was asked for', async () => {
    const { shelf, installing, installs } = farm()
    mkdirSync(path.join(installedAt(hen, shelf), 'node_modules'), { recursive: true })
    put(installedAt(fox, shelf), '@farm/fox', '1.2.2')
    await installAgents([hen, fox], installing)
    expect(installs.sort()).toEqual(['@farm/fox', '@farm/hen'])
    expect([hen, fox].every((agent) => isInstalled(agent, shelf))).toBe(true)
  })
})
