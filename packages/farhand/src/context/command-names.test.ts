import { expect, it } from 'vitest'
import { commandNames, publicCommandName } from './command-names.ts'

const npx = { npm_lifecycle_event: 'npx', npm_command: 'exec' }
const clonedBin = '/clone/node_modules/.bin/farhand'
const cloned = '/clone/packages/farhand/bin/farhand.cjs'

it.each([
  // In the clone, by npm and npx.
  [{ npm_lifecycle_event: 'start' }, '/clone/tools/start.cjs', '/clone', 'npx farhand', 'npm start --'],
  [npx, clonedBin, '/clone', 'npx farhand', 'npx farhand hub'],
  [{ npm_command: 'exec' }, clonedBin, '/clone/packages', 'npx farhand', 'npx farhand hub'],
  [{ FARHAND_CALLED: 'fh', ...npx }, clonedBin, '/clone', 'npx farhand', 'npx farhand hub'],
  // A hub in the background lives in its data folder.
  [{ ...npx, INIT_CWD: '/clone' }, clonedBin, '/state/hub', 'npx farhand', 'npx farhand hub'],
  // Elsewhere npx would ask the registry for a name that it does not have.
  [npx, clonedBin, '/project', clonedBin, `${clonedBin} hub`],
  [
    npx,
    '/npm/_npx/6e8/node_modules/.bin/farhand',
    '/project',
    '/npm/_npx/6e8/node_modules/.bin/farhand',
    '/npm/_npx/6e8/node_modules/.bin/farhand hub',
  ],
  [
    { npm_lifecycle_event: 'start', INIT_CWD: '/project' },
    '/clone/tools/start.cjs',
    '/project',
    `node ${cloned}`,
    `node ${cloned} hub`,
  ],
  // What another npm has left in the environment says nothing of how this one was called.
  [{ ...npx, PATH: '/bin:/usr/local/bin' }, '/usr/local/bin/farhand', '/project', 'farhand', 'farhand hub'],
  [{}, cloned, '/clone', `node ${cloned}`, `node ${cloned} hub`],
  [{ FARHAND_CALLED: 'fh' }, cloned, '/clone', 'fh', 'fh hub'],
  [{ FARHAND_CALLED: 'rm -rf' }, cloned, '/clone', `node ${cloned}`, `node ${cloned} hub`],
  [
    {},
    "/my clone's/farhand.cjs",
    '/',
    `node '/my clone'\\''s/farhand.cjs'`,
    `node '/my clone'\\''s/farhand.cjs' hub`,
  ],
  // Installed: on the PATH by its name, else by its place.
  [{ PATH: '/bin:/usr/local/bin/' }, '/usr/local/bin/farhand', '/', 'farhand', 'farhand hub'],
  [{ PATH: '/bin' }, '/opt/it/bin/farhand', '/', '/opt/it/bin/farhand', '/opt/it/bin/farhand hub'],
  [{}, '/npm/node_modules/farhand/bin/farhand.cjs', '/', 'farhand', 'farhand hub'],
])('a hint names the command as it works there: %j %s in %s', (env, script, cwd, farhand, hub) => {
  expect(commandNames({ env, script, cwd })).toEqual({ farhand, hub })
})

it.each([
  ['farhand', 'farhand'],
  ['fh', 'fh'],
  ['npx farhand', 'npx farhand'],
  ['node /home/ada/clone/packages/farhand/bin/farhand.cjs', 'npx farhand'],
  ['/opt/it/bin/farhand', 'farhand'],
])('a page says %s without a folder of the machine: %s', (farhand, said) => {
  expect(publicCommandName(farhand)).toBe(said)
})
