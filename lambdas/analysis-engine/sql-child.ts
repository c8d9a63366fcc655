import duckdb from '@duckdb/node-bindings';

/** Memory (MiB) and threads stand on the command line, so that nothing has to be waited for. */
const [memoryMiB, threads] = process.argv.slice(2).map(Number);

const config = duckdb.create_config();
for (const [name, value] of Object.entries({
  memory_limit: `${memoryMiB}MB`,
  // What fetches the records needs the other processor more than the load needs a second thread.
  threads: '1',
  temp_directory: '',
  autoinstall_known_extensions: 'false',
  autoload_known_extensions: 'false',
  allow_community_extensions: 'false',
  allow_unsigned_extensions: 'false',
  allow_persistent_secrets: 'false',
})) {
  duckdb.set_config(config, name, value);
}
// In a thread of its own, while this one reads the larger part of the program.
const opening = duckdb.open(':memory:', config);
opening.catch(() => {});

void import('./sql-session.ts').then(({ answerQuery }) => answerQuery(opening, threads ?? 1));
