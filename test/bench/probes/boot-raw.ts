import Database from 'better-sqlite3';

const db = new Database(process.argv[2] as string);
db.pragma('journal_mode = WAL');
db.pragma('synchronous = FULL');
db.exec('CREATE TABLE message (id INTEGER PRIMARY KEY, body TEXT NOT NULL)');
db.prepare('INSERT INTO message (body) VALUES (?)').run('Hello');
console.log(performance.now());
