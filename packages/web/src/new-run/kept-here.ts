import { readSavedForm, type SavedForm } from './saved-form.ts'

const key = 'farhand.new'

/** The form as it was last left in this browser. */
export function loadForm(): SavedForm {
  try {
    return readSavedForm(localStorage.getItem(key))
  } catch {
    return readSavedForm(null)
  }
}

/** Keeps the form in this browser; one that keeps nothing begins anew each time. */
export function saveForm(kept: SavedForm): void {
  try {
    localStorage.setItem(key, JSON.stringify({ ...kept, form: { ...kept.form, fork: null } }))
  } catch {
    // Full, or not allowed: the form on the page is what counts.
  }
}
