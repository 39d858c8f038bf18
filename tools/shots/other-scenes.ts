import { asks, plans, runs, type Scenes, type Step, says } from './scene.ts'

const one = (message: string, steps: readonly Step[]) => [{ message, steps }]

const options = (...titles: [value: string, title: string][]) =>
  titles.map(([value, title]) => ({ const: value, title }))

/** Asks something that has several answers at once. */
export const loginScenes: Scenes = {
  project: 'webshop',
  title: 'Sign in with passkeys',
  agent: 'codex',
  minutesAgo: 4,
  ends: 'asks',
  turns: one('Let customers sign in with passkeys. Passwords stay for those who have one.', [
    plans(['Look at how people sign in today', 'Agree on how it will be', 'Build it', 'Test it'], 1),
    says(
      'Today `src/login` checks a password and sets a cookie. Passkeys fit in beside it; **three things are yours to decide** before I build.',
    ),
    asks(
      'How shall passkeys behave in the shop?',
      {
        offer: {
          type: 'string',
          title: 'When are they offered?',
          oneOf: options(
            ['after', 'After the next sign-in with a password'],
            ['settings', 'Only in the settings'],
            ['both', 'Both'],
          ),
          default: 'after',
        },
        devices: { type: 'integer', title: 'Passkeys for each customer, at most', minimum: 1, default: 5 },
        old: { type: 'boolean', title: 'Keep passwords after a passkey was made', default: true },
      },
      ['offer'],
    ),
  ]),
}

/** Others, of every kind that a list of runs has. */
export const otherScenes: readonly Scenes[] = [
  {
    project: 'build tools',
    title: 'Why does the build take three minutes?',
    agent: 'claude',
    minutesAgo: 0,
    ends: 'works',
    turns: one('The build takes three minutes. Where does the time go?', [
      plans(['Measure each step', 'Look at the slowest', 'Say what to do about it'], 1),
      ...runs('npm run build -- --timing', 'typecheck 121 s\nbundle     44 s\nassets     11 s'),
      { is: 'stay' },
    ]),
  },
  {
    project: 'website',
    title: 'Help pages in Portuguese',
    agent: 'gemini',
    minutesAgo: 12,
    ends: 'done',
    turns: one('Translate the help pages into Portuguese.', [
      { is: 'write', path: 'help/pt.md', text: '# Ajuda\n' },
      says('All 14 pages are in `help/pt`.'),
    ]),
  },
  {
    project: 'build tools',
    title: 'Update the dependencies',
    agent: 'opencode',
    minutesAgo: 35,
    ends: 'done',
    turns: one('Update all dependencies, and see that tests pass.', [
      ...runs('npm outdated', '3 packages are out of date', 1),
      { is: 'fail', words: 'The key for the model is not valid.' },
    ]),
  },
  {
    project: 'website',
    title: 'Changelog for 2.4',
    agent: 'claude',
    minutesAgo: 190,
    ends: 'done',
    turns: one('Write the changelog for 2.4.', [says('It is in `CHANGELOG.md`.')]),
  },
  {
    project: 'parser',
    title: 'Rename Widget to Part everywhere',
    agent: 'codex',
    minutesAgo: 1500,
    ends: 'rests',
    turns: one('Rename Widget to Part everywhere.', [says('Done, in 31 files.')]),
  },
]
