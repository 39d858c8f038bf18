import { expect, it } from 'vitest'
import { settingsIn, suspectSettings } from './suspect-settings.ts'

const reach = { top: '/project', gitDirs: ['/project/.git', '/project/.git/worktrees/x'], home: '/home/ada' }
const own = '/project/.git/config'
const found = (key: string, value: string, file = own) => suspectSettings([{ file, key, value }], reach)

it.each([
  ['filter.notes.clean', './tools/clean.sh %f', ['filter.notes.clean=', 'filter.notes.required=false']],
  ['filter.notes.clean', 'python tools/strip.py', ['filter.notes.clean=', 'filter.notes.required=false']],
  ['filter.notes.smudge', 'python3 strip.py', ['filter.notes.smudge=', 'filter.notes.required=false']],
  ['filter.x.process', "sh -c 'exec /project/bin/f'", ['filter.x.process=', 'filter.x.required=false']],
  ['core.fsmonitor', '.githooks/watch', ['core.fsmonitor=false']],
  ['core.sshcommand', 'ssh -F ./ssh_config', ['core.sshcommand=ssh']],
  ['gpg.program', '../project/gpg.sh', ['gpg.program=gpg']],
  ['gpg.ssh.program', 'bin/sign', ['gpg.ssh.program=ssh-keygen']],
  ['credential.helper', '!./helper', ['credential.helper=']],
  ['diff.external', 'npx difft', ['diff.external=']],
  ['diff.pdf.textconv', 'node tools/pdf.js', ['diff.pdf.textconv=']],
  ['merge.npm.driver', 'npx npm-merge-driver merge %A %O', ['merge.npm.driver=']],
  ['remote.origin.receivepack', './x', ['remote.origin.receivepack=git-receive-pack']],
])('a program of the work tree is not run: %s = %s', (key, value, instead) => {
  expect(found(key, value).instead).toEqual(instead)
  expect(found(key, value).says).toEqual([`${key} = ${value}`])
})

it.each([
  ['filter.lfs.clean', 'git-lfs clean -- %f'],
  ['filter.lfs.process', 'git-lfs filter-process'],
  ['credential.helper', 'store --file ~/.creds'],
  ['core.sshcommand', 'ssh -i /home/ada/.ssh/id -o User=x'],
  ['gpg.program', '/usr/bin/gpg2'],
  ['core.fsmonitor', 'true'],
  ['core.editor', 'vim'],
  ['filter.mine.clean', '/home/ada/bin/clean'],
  ['filter.inside.clean', '/project/.git/filters/clean'],
  ['user.name', './Ada'],
])("what is the user's own stays: %s = %s", (key, value) => {
  expect(found(key, value)).toEqual({ instead: [], says: [], files: [] })
})

it('whatever a file of settings in the work tree names is not run, and what the user had set counts instead', () => {
  const settings = [
    { file: '/home/ada/.gitconfig', key: 'core.sshcommand', value: 'ssh -4' },
    { file: '/home/ada/.gitconfig', key: 'credential.helper', value: 'cache' },
    { file: '/project/.gitconfig', key: 'core.sshcommand', value: 'touch /tmp/x' },
    { file: '/project/.gitconfig', key: 'credential.helper', value: '!touch /tmp/x' },
    { file: '/project/.gitconfig', key: 'user.name', value: 'Eve' },
  ]
  expect(suspectSettings(settings, reach)).toEqual({
    instead: ['core.sshcommand=ssh -4', 'credential.helper=', 'credential.helper=cache'],
    says: ['core.sshcommand = touch /tmp/x', 'credential.helper = !touch /tmp/x'],
    files: ['.gitconfig'],
  })
})

it('reads what git prints of its settings, relative files and settings without a value too', () => {
  const printed = 'file:.git/config\0core.bare\nfalse\0file:/g\0a.b\0command line:\0c.d\nx\ny\0'
  expect(settingsIn(printed, '/project')).toEqual([
    { file: '/project/.git/config', key: 'core.bare', value: 'false' },
    { file: '/g', key: 'a.b', value: 'true' },
    { file: null, key: 'c.d', value: 'x\ny' },
  ])
})
