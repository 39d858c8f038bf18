import type { DelegatedStatus, TaskAction } from './delegated-tasks.ts'

const over: ReadonlySet<DelegatedStatus> = new Set(['completed', 'failed', 'canceled'])

/** A task in one of these states never leaves it, whatever happens in its run afterwards. */
export const isTaskOver = (status: DelegatedStatus): boolean => over.has(status)

const allowed: Record<DelegatedStatus, readonly TaskAction[]> = {
  submitted: ['cancel'],
  working: ['pause', 'cancel'],
  paused: ['resume', 'cancel'],
  completed: [],
  failed: [],
  canceled: [],
}

/** What a user may do with a task in this state (W83). */
export const allowedActions = (status: DelegatedStatus): TaskAction[] => [...allowed[status]]

const next: Record<DelegatedStatus, readonly DelegatedStatus[]> = {
  submitted: ['working', 'paused', 'completed', 'failed', 'canceled'],
  working: ['paused', 'completed', 'failed', 'canceled'],
  paused: ['working', 'completed', 'failed', 'canceled'],
  completed: [],
  failed: [],
  canceled: [],
}

/** Whether a task may go from one state to another. */
export const mayFollow = (from: DelegatedStatus, to: DelegatedStatus): boolean => next[from].includes(to)
