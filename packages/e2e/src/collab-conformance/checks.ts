import { type Check, taskChecks } from './task-checks.ts'

/**
 * Everything that is found out about a server. The tasks are one part; binding and refreshing (section 3) belong into `auth-checks.ts`, the
 * WebSocket (section 2, reverse) into `socket-checks.ts`.
 */
export const checks: readonly (Check & { of: 'tasks' | 'auth' | 'socket' })[] = taskChecks.map((check) => ({
  ...check,
  of: 'tasks',
}))
