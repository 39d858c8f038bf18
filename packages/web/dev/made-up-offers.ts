import { ProjectId, UserId } from '@farhand/protocol/wire/ids'
import { type NewRunSource, RunNotStarted } from '../src/new-run/new-run-source.ts'
import { madeUpRuns } from './made-up-runs.ts'

const agent = (
  id: string,
  name: string,
  state: 'usable' | 'unset' | 'not-installed',
  missing: string[][] = [],
) => ({
  id,
  name,
  state,
  missing,
  install: state === 'not-installed' ? `npm install -g ${id}` : null,
})

/** A hub that offers something of each kind, and refuses one kind of sandbox. */
export const madeUpOffers: NewRunSource = {
  offers: async () => ({
    here: {
      agents: [
        agent('opencode', 'OpenCode', 'usable'),
        agent('claude', 'Claude Code', 'usable'),
        agent('codex', 'Codex', 'unset', [['OPENAI_API_KEY', 'CODEX_API_KEY']]),
        agent('goose', 'Goose', 'not-installed'),
        agent('rehearsal', 'Rehearsal', 'usable'),
      ],
      sandboxes: [
        { kind: 'bubblewrap', isolates: true, unusable: null },
        { kind: 'process', isolates: false, unusable: null },
      ],
      usual: 'auto',
    },
    projects: ['parser', 'website', 'infrastructure'].map((name, nth) => ({
      id: ProjectId.parse(`prj_${String(nth).padStart(21, '0')}`),
      name,
      owner: UserId.parse('usr_000000000000000000000'),
      createdAt: new Date().toISOString(),
    })),
    runs: madeUpRuns,
  }),
  begin: async () => {
    throw new RunNotStarted('sandbox', 'This is made up: there is no hub.')
  },
}
