import { mkdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { newId, ProjectId, RunId, TaskId } from '@farhand/protocol/wire/ids'
import { temporaryFolder } from '@farhand/testkit/temporary-folder'
import { expect, it } from 'vitest'
import { PullMemory } from '../pull/pull-memory.ts'
import { downloadPlace } from './download-place.ts'
import { leftOut } from './trusted-names.ts'

const at = { project: newId(ProjectId, 'prj'), task: newId(TaskId, 'tsk'), run: newId(RunId, 'run') }

async function places() {
  const [root, state] = [realpathSync(await temporaryFolder()), await temporaryFolder()]
  const home = await temporaryFolder()
  const place = (into: string, roots = [root]) => downloadPlace({ into, roots, home, run: at.run, state })
  return { root, state, home, place }
}

it('a new or empty folder in a root is taken', async () => {
  const { root, place } = await places()
  mkdirSync(path.join(root, 'empty'))
  expect(place('cloud-agent/one')).toBe(path.join(root, 'cloud-agent/one'))
  expect(place('empty')).toBe(path.join(root, 'empty'))
  expect(place(path.join(root, 'absolute'))).toBe(path.join(root, 'absolute'))
})

it('no folder outside of the roots is taken: not by dots, not by an absolute path, not through a symlink', async () => {
  const { root, place } = await places()
  const outside = realpathSync(await temporaryFolder())
  symlinkSync(outside, path.join(root, 'way'))
  for (const into of ['..', '../sister', outside, 'way', 'way/below', 'a/../../b', '/'])
    expect(() => place(into), into).toThrow('in none of the folders')
  expect(() => place('x', [])).toThrow('no folder')
  expect(() => place('x', [path.join(root, 'missing')])).toThrow('in none of the folders')
})

it('the root itself and a folder with other files are refused: what comes could be taken for settings', async () => {
  const { root, state, place } = await places()
  mkdirSync(path.join(root, 'src'))
  writeFileSync(path.join(root, 'src/a.ts'), '')
  expect(() => place('.')).toThrow('in none of the folders')
  expect(() => place('src')).toThrow('has other files')
  const memory = new PullMemory(state, path.join(root, 'src'))
  memory.save({ url: 'http://hub', at, files: [] })
  expect(place('src')).toBe(path.join(root, 'src'))
})

it('no folder is taken from which programs take settings or code, in any case and also through a symlink', async () => {
  const { root, place } = await places()
  mkdirSync(path.join(root, '.claude'))
  symlinkSync('.claude', path.join(root, 'way'))
  for (const into of [
    '.claude',
    '.vscode/a',
    'a/.git/hooks',
    '.GIT',
    'Node_Modules/x',
    'node_modules',
    'way',
    'way/x',
  ])
    expect(() => place(into), into).toThrow('take settings or code')
  expect(() => place('a/\u200c.git')).toThrow('take settings or code')
})

it('neither the home nor a folder around it is a root', async () => {
  const { root, home, place } = await places()
  for (const one of [home, path.dirname(home), '/'])
    expect(() => place('cloud-agent/x', [one]), one).toThrow('your home is there')
  expect(place('cloud-agent/x', [home, root])).toBe(path.join(root, 'cloud-agent/x'))
})

it('what programs trust is left out of a download wherever it is, unless that file is asked for', () => {
  const trusted = [
    '.mcp.json',
    '.git/config',
    'a/.vscode/tasks.json',
    'a/CLAUDE.md',
    'node_modules/x/i.js',
    'bare/HEAD',
  ]
  for (const one of [...trusted, 'a/.envrc', '.husky/pre-commit', 'Agents.md'])
    expect(leftOut([])(one), one).toBe(true)
  for (const one of ['a.md', 'src/a.b.ts', 'a/head.html', 'modules/x.js'])
    expect(leftOut([])(one), one).toBe(false)
  expect(leftOut(['.mcp.json'])('.mcp.json')).toBe(false)
  expect(leftOut(['./a/.envrc'])('a/.envrc')).toBe(false)
  expect(leftOut(['.git', 'a'])('.git/config')).toBe(true)
})
