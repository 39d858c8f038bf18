import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { pathsOfNode, pathsOfOurs, pathsOfProgram } from './program-paths.ts'

const home = realpathSync(mkdtempSync(path.join(tmpdir(), 'farhand-paths-')))
afterAll(() => rmSync(home, { recursive: true }))
const at = (...parts: string[]) => path.join(home, ...parts)

function put(...parts: string[]): string {
  const file = at(...parts)
  mkdirSync(path.dirname(file), { recursive: true })
  writeFileSync(file, '')
  return file
}

describe('what of a home a sandbox may read to run a program', () => {
  it('are the packages that were installed with it, even if the name on the PATH is a link', () => {
    const script = put('npm', 'lib', 'node_modules', '@some', 'agent', 'dist', 'index.js')
    mkdirSync(at('npm', 'bin'))
    symlinkSync(script, at('npm', 'bin', 'agent'))
    expect(pathsOfProgram(at('npm', 'bin', 'agent'))).toEqual([at('npm', 'lib', 'node_modules')])
  })

  it('is the program alone if it is no package, and nothing if it is not there', () => {
    const program = put('bin', 'goose')
    expect(pathsOfProgram(program)).toEqual([program])
    expect(pathsOfProgram(at('bin', 'nothing'))).toEqual([])
  })

  it('is the installation of Node where it has a folder to itself, and never the home it lies in', () => {
    const own = put('versions', 'v20', 'bin', 'node')
    put('versions', 'v20', 'include', 'node', 'node.h')
    expect(pathsOfNode(own, home)).toEqual([at('versions', 'v20', 'bin'), at('versions', 'v20', 'include')])
    const alone = put('bin', 'node')
    expect(pathsOfNode(alone, home)).toEqual([alone])
    put('include', 'node', 'node.h')
    expect(pathsOfNode(alone, home)).toEqual([alone])
    expect(pathsOfNode(alone, at('deeper'))).toEqual([alone])
  })

  it('is of Node only what programs need where others keep their data beside it', () => {
    const node = put('.local', 'bin', 'node')
    put('.local', 'include', 'node', 'node.h')
    put('.local', 'lib', 'node_modules', 'npm', 'package.json')
    put('.local', 'share', 'keyrings', 'login.keyring')
    expect(pathsOfNode(node, home)).toEqual(['bin', 'include', 'lib'].map((name) => at('.local', name)))
  })

  it('are, of a command that was installed, its files and the binaries for it, not all that is installed beside it', () => {
    const main = put('global', 'node_modules', 'farhand', 'dist', 'main.cjs')
    put('global', 'node_modules', 'farhand', 'dist', 'libraries', 'hub.cjs')
    const manifest = put('global', 'node_modules', 'farhand', 'package.json')
    writeFileSync(
      manifest,
      JSON.stringify({ optionalDependencies: { '@one/inner': '1', '@one/outer': '1', gone: '1' } }),
    )
    put('global', 'node_modules', 'farhand', 'node_modules', '@one', 'inner', 'index.node')
    put('global', 'node_modules', '@one', 'outer', 'index.node')
    put('global', 'node_modules', 'somebody-elses', 'index.js')
    expect(pathsOfOurs(main)).toEqual([
      at('global', 'node_modules', 'farhand', 'dist'),
      manifest,
      at('global', 'node_modules', 'farhand', 'node_modules', '@one', 'inner'),
      at('global', 'node_modules', '@one', 'outer'),
    ])
  })

  it('are our own program and the libraries it loads, not the sources around it', () => {
    const main = put('work', 'packages', 'farhand', 'dist', 'main.cjs')
    put('work', 'packages', 'farhand', 'src', 'main.ts')
    put('work', 'packages', 'farhand', 'package.json')
    put('work', 'node_modules', '@agentclientprotocol', 'sdk', 'index.js')
    put('node_modules', 'somebody-elses', 'index.js')
    expect(pathsOfOurs(main)).toEqual([
      at('work', 'packages', 'farhand', 'dist'),
      at('work', 'packages', 'farhand', 'package.json'),
      at('work', 'node_modules'),
    ])
  })
})
