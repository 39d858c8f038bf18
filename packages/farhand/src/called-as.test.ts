import { expect, it } from 'vitest'
import { calledAs } from './called-as.ts'

it.each([
  [{ npm_lifecycle_event: 'start' }, '/clone/tools/start.cjs', 'npx farhand', 'npm start --'],
  [
    { npm_lifecycle_event: 'npx', npm_command: 'exec' },
    '/clone/.bin/farhand',
    'npx farhand',
    'npx farhand hub',
  ],
  [{ npm_command: 'exec' }, '/clone/.bin/farhand', 'npx farhand', 'npx farhand hub'],
  [{}, '/clone/bin/farhand.cjs', 'node /clone/bin/farhand.cjs', 'node /clone/bin/farhand.cjs hub'],
  [{ FARHAND_CALLED: 'fh' }, '/clone/bin/farhand.cjs', 'fh', 'fh hub'],
  [
    { FARHAND_CALLED: 'rm -rf' },
    '/clone/bin/farhand.cjs',
    'node /clone/bin/farhand.cjs',
    'node /clone/bin/farhand.cjs hub',
  ],
  [{ FARHAND_CALLED: 'fh', npm_command: 'exec' }, '/clone/.bin/farhand', 'npx farhand', 'npx farhand hub'],
  [
    {},
    "/my clone's/farhand.cjs",
    `node '/my clone'\\''s/farhand.cjs'`,
    `node '/my clone'\\''s/farhand.cjs' hub`,
  ],
  [{}, '/usr/local/bin/farhand', 'farhand', 'farhand hub'],
  [{}, '/npm/node_modules/farhand/bin/farhand.cjs', 'farhand', 'farhand hub'],
])('a hint names the command as it was called: %j %s', (env, script, farhand, hub) => {
  expect(calledAs(env, script)).toEqual({ farhand, hub })
})
