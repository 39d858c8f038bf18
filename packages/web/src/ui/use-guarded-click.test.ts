import { createElement, type ReactElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { describe, expect, it } from 'vitest'
import { WaitingList } from '../composer/waiting-list.tsx'
import type { WaitingRow } from '../composer/waiting-rows.ts'
import type { FilesSource } from '../files/history/files-source.ts'
import type { UnsentAction } from '../outbox/actions.ts'
import { CloseDialog } from '../run/close-dialog.tsx'
import { FailureView } from '../run/items/failure-view.tsx'
import { TurnEndView } from '../run/items/turn-end-view.tsx'
import { RewindDialog } from '../run/rewind/rewind-dialog.tsx'
import { RewindPoints } from '../run/rewind/rewind-points.ts'
import { SignOutDialog } from '../sign-in/sign-out-dialog.tsx'

const at = '2030-01-01T00:00:00.000Z'
const nothing = () => {}

/** The names of the buttons that do not take a click yet when they appear. */
function guarded(shown: ReactElement): string[] {
  const buttons = renderToStaticMarkup(shown).matchAll(/<button\b([^>]*)>(.*?)<\/button>/gs)
  return [...buttons]
    .filter(([, said]) => said!.includes('aria-disabled="true"'))
    .map(([, said, inside]) => /aria-label="([^"]*)"/.exec(said!)?.[1] ?? inside!.replace(/<[^>]*>/g, ''))
}

const row = (unsent: Partial<UnsentAction> | null): WaitingRow =>
  ({
    ...{ key: '1', messageId: unsent ? null : 1, text: 'hello', attachments: [], note: null },
    ...{ isSteering: false, isAbove: false, unsent: unsent && { key: '1', ...unsent } },
  }) as WaitingRow
const waiting = (one: WaitingRow) =>
  createElement(WaitingList, {
    ...{ rows: [one], editing: null, isBusy: true, onEdit: nothing, onSave: nothing, onSteer: nothing },
    ...{ onWithdraw: nothing, onDrop: nothing, onResend: nothing },
  })

describe('a button that appears by itself, for an action that is hard to undo, ignores a click that was meant for another element', () => {
  it('messages that wait, and those that were not sent', () => {
    expect(guarded(waiting(row(null)))).toEqual(['Say it now', 'Withdraw'])
    expect(guarded(waiting(row({ state: 'stale' })))).toEqual(['Send it now', 'Discard'])
    expect(guarded(waiting(row({ state: 'refused' })))).toEqual(['Try again', 'Discard'])
  })

  it('what a dialog asks', () => {
    const asked = { onClose: nothing, onAgree: nothing }
    expect(guarded(createElement(CloseDialog, asked))).toEqual(['Close the run'])
    expect(guarded(createElement(SignOutDialog, { ...asked, device: null }))).toEqual(['Sign out'])
    const known = { rewindPoints: new RewindPoints() }
    const rewind = (isWorking: boolean) =>
      createElement(RewindDialog, {
        ...{ source: {} as FilesSource, known, event: null, isWorking, onStop: nothing, onClose: nothing },
      })
    expect(guarded(rewind(false))).toEqual(['Rewind'])
    // To stop an agent need not wait.
    expect(guarded(rewind(true))).toEqual([])
  })

  it('another try of what failed', () => {
    const actions = { onRetry: nothing, onChange: nothing }
    const end = { kind: 'turn-end', id: 2, at, startedAt: at, messageId: 1, stopReason: 'failed' }
    const item = { ...end, error: 'It broke.', usage: null, isTakenBack: false }
    expect(guarded(createElement(TurnEndView, { item, actions } as never))).toEqual(['Retry'])
    const failure = { kind: 'failure', id: 3, at, reason: 'It broke.', steps: [] }
    const shown = { item: failure, openSections: new Map(), actions, children: () => null }
    expect(guarded(createElement(FailureView, shown as never))).toEqual(['Retry'])
  })
})
