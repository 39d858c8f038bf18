import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { pathInside } from './path-inside.ts'
import { walk } from './walk.ts'

function folderWith(files: Record<string, string>): string {
  const root = mkdtempSync(path.join(tmpdir(), 'walk-'))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(root, name)), { recursive: true })
    writeFileSync(path.join(root, name), text)
  }
  return root
}

async function pathsOf(root: string, start = '', depth = 9): Promise<string[]> {
  const paths: string[] = []
  for await (const found of walk(root, start, { depth })) if (!found.isFolder) paths.push(found.path)
  return paths
}

it('a walk leaves out what ignore files say, each for its folder, and the nearest has the last word', async () => {
  const root = folderWith({
    '.gitignore': '*.log\n/out/\n',
    'a.ts': '',
    'a.log': '',
    'out/b.ts': '',
    'in/.gitignore': '!keep.log\nsecret\n',
    'in/keep.log': '',
    'in/secret': '',
    'in/out/c.ts': '',
    '.git/config': '',
    'node_modules/x.js': '',
  })
  const inside = ['in/.gitignore', 'in/keep.log', 'in/out/c.ts']
  expect(await pathsOf(root)).toEqual(['.gitignore', 'a.ts', ...inside])
  expect(await pathsOf(root, 'in')).toEqual(inside)
  expect(await pathsOf(root, '', 1)).toEqual(['.gitignore', 'a.ts'])
})

it('a walk does not follow links, so that it ends and stays inside', async () => {
  const root = folderWith({ 'a/b.ts': '' })
  symlinkSync('..', path.join(root, 'a/up'))
  expect(await pathsOf(root)).toEqual(['a/b.ts', 'a/up'])
})

it.runIf(process.platform !== 'win32')(
  'a walk waits for no pipe that is named like an ignore file',
  async () => {
    const root = folderWith({ 'a/b.ts': '', 'a/.gitignore': 'c.ts\n', 'a/c.ts': '' })
    for (const name of ['.gitignore', 'a/.ignore']) execFileSync('mkfifo', [path.join(root, name)])
    symlinkSync('.gitignore', path.join(root, '.farhandignore'))
    const found = ['.farhandignore', '.gitignore', 'a/.gitignore', 'a/.ignore', 'a/b.ts']
    expect(await pathsOf(root)).toEqual(found)
  },
)

it('a path is inside only if everything on its way is', async () => {
  const root = folderWith({ 'a/b.ts': '' })
  symlinkSync(tmpdir(), path.join(root, 'out'))
  symlinkSync('a', path.join(root, 'in'))
  symlinkSync('nowhere', path.join(root, 'broken'))
  for (const name of ['.', 'a/b.ts', 'in/b.ts', 'in/new/c.ts', `${root}/a`, '..a'])
    expect(await pathInside(root, name)).toBe(path.resolve(root, name))
  for (const name of ['..', '../x', '/etc/passwd', 'out/x', 'out', 'a/../../x'])
    await expect(pathInside(root, name), name).rejects.toThrow('outside of the workspace')
  await expect(pathInside(root, 'broken')).rejects.toThrow('leads nowhere')
})
