import { execFileSync } from 'node:child_process'
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'
import { markedSkill } from '@farhand/device/skill/skill-file'
import { expect, it } from 'vitest'
import { runHere } from '../../context/command-context-under-test.ts'
import { temporaryFolder } from '../../farhand-under-test.ts'
import { skillText } from './skill-text.ts'

/** A user with an empty home, whose answer to every question is `answer`; null: there is no terminal. */
async function user(answer: string | null = null) {
  const home = await temporaryFolder()
  const asked: string[] = []
  const ask = async (question: string) => {
    asked.push(question)
    return answer ?? ''
  }
  const call = (...words: string[]) =>
    runHere(['skill', ...words], { home, cwd: home, ask: answer === null ? null : ask })
  const at = (...parts: string[]) => path.join(home, ...parts, 'cloud-agent', 'SKILL.md')
  return { home, call, at, asked, text: (file: string) => readFileSync(file, 'utf8') }
}

it('puts the skill where agents look: the shared folder, and the folders of agents here that do not read that', async () => {
  const { home, call, at, text } = await user()
  mkdirSync(path.join(home, '.claude'))
  mkdirSync(path.join(home, '.codex'))
  await call('install')
  expect(text(at('.agents', 'skills'))).toBe(markedSkill(skillText()))
  expect(text(at('.claude', 'skills'))).toBe(markedSkill(skillText()))
  expect(existsSync(at('.codex', 'skills'))).toBe(false)
  expect(existsSync(path.join(home, '.gemini'))).toBe(false)
})

it('for one agent only its own folder is used, and an unknown agent is refused', async () => {
  const { home, call, at } = await user()
  await call('install', '--for', 'gemini', '--for', 'codex')
  expect([at('.gemini', 'skills'), at('.agents', 'skills'), at('.claude', 'skills')].map(existsSync)).toEqual(
    [true, true, false],
  )
  await expect(call('install', '--for', 'nosuch')).rejects.toMatchObject({ exit: 'usage' })
  expect(existsSync(path.join(home, 'nosuch'))).toBe(false)
})

it('installed twice it is written once, and an older version of ours is updated', async () => {
  const { call, at, text } = await user()
  const first = await call('install', '--for', 'agents')
  expect(first.out).toContain('written')
  expect((await call('install', '--for', 'agents')).out).toContain('is up to date')
  const file = at('.agents', 'skills')
  writeFileSync(file, markedSkill('---\nname: cloud-agent\n---\n\nOlder.\n'))
  expect((await call('install', '--for', 'agents')).out).toContain('updated')
  expect(text(file)).toBe(markedSkill(skillText()))
})

it('what the user has changed stays without their consent, and --force gives it', async () => {
  const { call, at, text } = await user()
  await call('install', '--for', 'agents')
  const file = at('.agents', 'skills')
  writeFileSync(file, `${text(file)}\nMine.\n`)
  await expect(call('install', '--for', 'agents')).rejects.toMatchObject({ exit: 'mustAsk' })
  await expect(call('remove', '--for', 'agents')).rejects.toMatchObject({ exit: 'mustAsk' })
  expect(text(file)).toContain('Mine.')
  expect((await call('install', '--for', 'agents', '--force')).out).toContain('replaced')
  expect(text(file)).toBe(markedSkill(skillText()))
})

it('a user at a terminal is asked, and a no leaves the file', async () => {
  const { call, at, asked, text } = await user('n')
  mkdirSync(path.dirname(at('.agents', 'skills')), { recursive: true })
  writeFileSync(at('.agents', 'skills'), 'Mine.')
  expect((await call('install', '--for', 'agents')).out).toContain('left as it is')
  expect(asked).toHaveLength(1)
  expect(text(at('.agents', 'skills'))).toBe('Mine.')
})

it('a project gets it in its own folders, and a symlink in the place of the file is not followed', async () => {
  const { home, call, at, text } = await user()
  const outside = path.join(home, 'outside')
  writeFileSync(outside, 'keep me')
  mkdirSync(path.dirname(at('.agents', 'skills')), { recursive: true })
  symlinkSync(outside, at('.agents', 'skills'))
  await call('install', '--project', '--force')
  expect(text(outside)).toBe('keep me')
  expect(lstatSync(at('.agents', 'skills')).isSymbolicLink()).toBe(false)
  expect(text(at('.claude', 'skills'))).toBe(markedSkill(skillText()))
})

it('a project that leads out of itself by a symlink gets nothing, and loses nothing', async () => {
  const { home, call } = await user()
  const outside = await temporaryFolder()
  for (const way of ['.agents', '.claude']) symlinkSync(outside, path.join(home, way))
  mkdirSync(path.join(outside, 'skills/cloud-agent'), { recursive: true })
  const file = path.join(outside, 'skills/cloud-agent/SKILL.md')
  writeFileSync(file, 'keep me')
  for (const words of [['install', '--force'], ['install'], ['remove', '--force']])
    await expect(call(words[0]!, '--project', ...words.slice(1)), words.join(' ')).rejects.toMatchObject({
      exit: 'failed',
    })
  expect(readFileSync(file, 'utf8')).toBe('keep me')
  expect(readdirSync(path.dirname(file))).toEqual(['SKILL.md'])
})

it('what stands in the place of the skill and is no file is not read, and stays', async () => {
  const { call, at } = await user()
  mkdirSync(path.dirname(at('.agents', 'skills')), { recursive: true })
  execFileSync('mkfifo', [at('.agents', 'skills')])
  await expect(call('install', '--for', 'agents')).rejects.toMatchObject({ exit: 'mustAsk' })
  expect(lstatSync(at('.agents', 'skills')).isFIFO()).toBe(true)
})

it('a symlink with the name that a draft once had is not followed', async () => {
  const { home, call, at, text } = await user()
  const outside = path.join(home, 'outside')
  writeFileSync(outside, 'keep me')
  mkdirSync(path.dirname(at('.agents', 'skills')), { recursive: true })
  symlinkSync(outside, `${at('.agents', 'skills')}.${process.pid}`)
  await call('install', '--for', 'agents')
  expect(text(outside)).toBe('keep me')
  expect(text(at('.agents', 'skills'))).toBe(markedSkill(skillText()))
})

it('removing takes away the file and its folder, and leaves what else is in there', async () => {
  const { call, at } = await user()
  await call('install', '--for', 'agents', '--for', 'claude')
  writeFileSync(path.join(path.dirname(at('.claude', 'skills')), 'notes.md'), 'mine')
  await call('remove', '--for', 'agents', '--for', 'claude')
  expect(existsSync(path.dirname(at('.agents', 'skills')))).toBe(false)
  expect(existsSync(at('.claude', 'skills'))).toBe(false)
  expect(existsSync(path.join(path.dirname(at('.claude', 'skills')), 'notes.md'))).toBe(true)
  expect((await call('remove', '--for', 'agents')).notes).toContain('not installed')
})

it('for programs it says what it is and where, in JSON', async () => {
  const { call } = await user()
  await call('install', '--for', 'agents')
  const shown = JSON.parse((await call('show', '--json', '--for', 'agents')).out)
  expect(shown).toMatchObject({ name: 'cloud-agent', text: skillText(), installed: [{ state: 'current' }] })
  expect((await call('show')).out).toBe(skillText())
})

it('the skill keeps to the limits of the format, and teaches with examples for and against, of code and of other work', () => {
  const [, front = ''] = /^---\n([\s\S]*?)\n---\n/.exec(skillText()) ?? []
  expect(/^name: (.*)$/m.exec(front)?.[1]).toBe('cloud-agent')
  const description = /description: >-\n((?: {2}.*\n)+)/.exec(front)?.[1]?.replace(/\s+/g, ' ').trim() ?? ''
  expect(description.length).toBeGreaterThan(100)
  expect(description.length).toBeLessThanOrEqual(1024)
  const examples = [...skillText().matchAll(/<use_cloud>(true|false)<\/use_cloud>/g)].map(([, is]) => is)
  expect(examples.filter((is) => is === 'true').length).toBeGreaterThanOrEqual(4)
  expect(examples.filter((is) => is === 'false').length).toBeGreaterThanOrEqual(4)
})
