import { expect, it } from 'vitest'
import { settingsIn, suspectSettings } from './suspect-settings.ts'

const reach = {
  top: '/project',
  besides: ['/other'],
  gitDirs: ['/project/.git', '/project/.git/worktrees/x'],
  home: '/home/ada',
  realOf: (place: string) => (place === '/home/ada/bin/leads-here' ? '/project/bin/x' : place),
}
const own = '/project/.git/config'
const found = (key: string, value: string, file = own) => suspectSettings([{ file, key, value }], reach)

const off = (filter: string, what: string): [string, string][] => [
  [`filter.${filter}.${what}`, ''],
  [`filter.${filter}.required`, 'false'],
]

it.each<[string, string, [string, string][]]>([
  ['filter.notes.clean', './tools/clean.sh %f', off('notes', 'clean')],
  ['filter.notes.clean', 'python tools/strip.py', off('notes', 'clean')],
  ['filter.notes.smudge', 'python3 strip.py', off('notes', 'smudge')],
  ['filter.x.process', "sh -c 'exec /project/bin/f'", off('x', 'process')],
  ['filter.x.clean', 'sh tidy', off('x', 'clean')],
  ['filter.x.clean', 'python3 -u tidy', off('x', 'clean')],
  ['filter.nb.clean', '"/usr/bin/python3" -m nbstripout', off('nb', 'clean')],
  ['filter.nb.clean', "node -e 'require(`x`)'", off('nb', 'clean')],
  ['filter.x.clean', '"$(git rev-parse --show-toplevel)"/tools/x.sh', off('x', 'clean')],
  ['filter.x.clean', '$(cd "$(dirname a)" && pwd)/tools/x.sh', off('x', 'clean')],
  ['filter.x.clean', '`pwd`/tools/x.sh', off('x', 'clean')],
  ['filter.x.clean', `$${'{PWD}'}/tools/x.sh`, off('x', 'clean')],
  ['filter.x.clean', '"/proj"ect/x.sh', off('x', 'clean')],
  ['filter.x.clean', '/other/tools/x.sh', off('x', 'clean')],
  ['filter.x.clean', '/home/ada/bin/leads-here', off('x', 'clean')],
  ['filter.a=b.clean', './x', off('a=b', 'clean')],
  ['core.fsmonitor', '.githooks/watch', [['core.fsmonitor', 'false']]],
  ['core.sshcommand', 'ssh -F ./ssh_config', [['core.sshcommand', 'ssh']]],
  ['gpg.program', '../project/gpg.sh', [['gpg.program', 'gpg']]],
  ['gpg.ssh.program', 'bin/sign', [['gpg.ssh.program', 'ssh-keygen']]],
  ['credential.helper', '!./helper', [['credential.helper', '']]],
  ['diff.external', 'npx difft', [['diff.external', '']]],
  ['diff.pdf.textconv', 'node tools/pdf.js', [['diff.pdf.textconv', '']]],
  ['merge.npm.driver', 'npx npm-merge-driver merge %A %O', [['merge.npm.driver', '']]],
  ['remote.origin.receivepack', './x', [['remote.origin.receivepack', 'git-receive-pack']]],
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
  ['credential.helper', '!f() { echo "username=$USER"; echo password=x; }; f'],
  ['filter.mine.clean', '$HOME/bin/clean'],
  ['filter.mine.clean', 'python3 /home/ada/bin/strip.py'],
  ['filter.mine.clean', "sh -c 'tr a-z A-Z'"],
  ['filter.mine.clean', 'perl -pe tr,a-z,A-Z,'],
])("what is the user's own stays: %s = %s", (key, value) => {
  expect(found(key, value)).toEqual({ instead: [], says: [], files: [] })
})

it('programs that a settings file in the work tree names are not run, and the user’s own settings count instead', () => {
  const settings = [
    { file: '/home/ada/.gitconfig', key: 'core.sshcommand', value: 'ssh -4' },
    { file: '/home/ada/.gitconfig', key: 'credential.helper', value: 'cache' },
    { file: '/project/.gitconfig', key: 'core.sshcommand', value: 'touch /tmp/x' },
    { file: '/project/.gitconfig', key: 'credential.helper', value: '!touch /tmp/x' },
    { file: '/project/.gitconfig', key: 'user.name', value: 'Eve' },
  ]
  expect(suspectSettings(settings, reach)).toEqual({
    instead: [
      ['core.sshcommand', 'ssh -4'],
      ['credential.helper', ''],
      ['credential.helper', 'cache'],
    ],
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
