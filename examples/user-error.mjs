// What a person can fix comes as a UserError: a code, one line and a hint. Anything else that is thrown is a bug.
import { openAppender, UserError } from "turnlog";

process.chdir(import.meta.dirname);
try {
  openAppender("expected"); // a folder
} catch (error) {
  if (!(error instanceof UserError)) throw error;
  console.log(error.code);
  console.log(error.message);
  console.log(error.hint);
}
