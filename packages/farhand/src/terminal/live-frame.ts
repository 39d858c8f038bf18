import { draftInLines } from './draft-in-lines.ts'
import type { InputState } from './input-state.ts'
import { menuInLines } from './leave-menu.ts'
import { painted } from './lines/palette.ts'
import { type Line, span } from './lines/styled-line.ts'
import { cutToWidth } from './lines/text-width.ts'
import type { Frame } from './live-region.ts'
import type { View } from './live-window.ts'
import { panelInLines } from './question-panel.ts'

/** An activity and its start time. */
export type Activity = { text: string; since: number }

export type Scene = {
  /** The unfinished line of the agent's message. */
  open: readonly Line[]
  tools: readonly Activity[]
  status: Activity | null
  /** A problem that blocks the run, such as a hub that cannot be reached. */
  trouble: string | null
  input: InputState
}

const spinner = '⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏'
const spinMs = 100
const mostTools = 3

/** The bottom of the window: the unfinished line, the activities, and the input. */
export function liveFrame(scene: Scene, view: View): Frame {
  const { columns, rows, depth } = view
  const most = Math.max(2, rows - 1)
  const activities = activitiesInLines(scene, view).slice(0, Math.max(1, most - 2))
  const input = inputInLines(
    scene.input,
    columns,
    Math.max(1, Math.min(most - activities.length, Math.ceil(most * 0.7))),
  )
  const room = Math.max(0, most - activities.length - input.length)
  const open = room === 0 ? [] : scene.open.slice(-room)
  return [...open, ...activities, ...input].map((line) => painted(line, depth))
}

function inputInLines(input: InputState, columns: number, most: number): Line[] {
  const { draft, panel, isArmed, isMenuOpen, isUnderWay } = input
  if (isMenuOpen) return menuInLines(isUnderWay, columns).slice(0, most)
  if (!panel)
    return [...candidatesInLine(input, columns, most), ...draftInLines(draft, columns, most)].slice(-most)
  if (isArmed) return panelInLines(panel, true, columns, most)
  const typed = draftInLines(draft, columns, Math.max(1, most - 1))
  // A second input line would only confuse.
  const asked = panel.draft ? [] : panelInLines(panel, false, columns, most - typed.length)
  return [...asked, ...typed]
}

/** The candidates that Tab found, in one row. */
function candidatesInLine({ candidates }: InputState, columns: number, most: number): Line[] {
  if (candidates.length === 0 || most < 2) return []
  return [[span(cutToWidth(candidates.join('  '), columns - 1), 'dim')]]
}

function activitiesInLines({ tools, status, trouble, input }: Scene, view: View): Line[] {
  const { columns, now } = view
  const sign = spinner[Math.floor(now / spinMs) % spinner.length]!
  const inLine = ({ text, since }: Activity, more = ''): Line => {
    const seconds = Math.floor((now - since) / 1000)
    const time = seconds < 1 ? '' : ` · ${inTime(seconds)}`
    const room = columns - 3 - time.length
    const tail = text.length + more.length <= room ? more : ''
    return [span(`${sign} `, 'spinner'), span(`${cutToWidth(text, room)}${time}${tail}`, 'dim')]
  }
  if (trouble !== null) return [[span(cutToWidth(trouble, columns - 1), 'warning')]]
  const hint = input.isMenuOpen || input.panel || !input.isUnderWay ? '' : ' · Ctrl-C for a menu'
  const shown = tools.slice(-mostTools).map((tool) => inLine(tool))
  const more = tools.length - shown.length
  if (more > 0) shown.push([span(`  and ${more} more`, 'dim')])
  // While a question waits for the user, no activity is shown.
  if (tools.length === 0 && status && !input.panel) return [inLine(status, hint)]
  return input.panel ? [] : shown
}

const inTime = (seconds: number) =>
  seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`
