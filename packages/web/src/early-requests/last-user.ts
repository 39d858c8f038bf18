import { readLocal } from '../storage/local.ts'

/** The local storage key for the last signed-in user. */
export const lastUserKey = 'farhand.me'

/** Whether this browser has had a signed-in user: then it may have cached logs. */
export const hasLastUser = (): boolean => readLocal(lastUserKey) !== null
