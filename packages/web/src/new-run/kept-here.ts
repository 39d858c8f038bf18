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

export function saveForm(kept: SavedForm): void {
  try {
    localStorage.setItem(key, JSON.stringify({ ...kept, form: { ...kept.form, fork: null } }))
  } catch {
    // // Storage is full or forbidden: the form is not saved.
  }
}
