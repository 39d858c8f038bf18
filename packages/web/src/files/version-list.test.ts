import type { Version } from '@farhand/protocol/files/file-versions'
import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, it } from 'vitest'
import { VersionList } from './version-list.tsx'

it('a version from the rewound part is marked so', () => {
  const version: Version = {
    eventId: 1,
    at: '2026-01-01T00:00:00Z',
    by: { kind: 'runner', generation: 1 },
    entry: null,
    size: null,
    state: 'replaced',
  }
  const shown = (isTaken: boolean) =>
    renderToStaticMarkup(
      createElement(VersionList, {
        versions: [version],
        names: new Map(),
        chosen: version,
        isTakenBack: () => isTaken,
        onChoose: () => {},
        onPutBack: () => {},
      }),
    )
  expect(shown(true)).toContain(' · rewound')
  expect(shown(false)).not.toContain('taken back')
})
