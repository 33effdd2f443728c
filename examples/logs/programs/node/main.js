// Writes two lines with the library that its argument names.
const id = 7;
switch (process.argv[2]) {
  case "pino":
  case "bunyan": {
    const log = process.argv[2] === "pino" ? require("pino")() : require("bunyan").createLogger({ name: "jobs" });
    log.info({ id }, "job began");
    log.error({ id }, "job failed");
    break;
  }
  default: {
    const { createLogger, format, transports } = require("winston");
    const json = format.combine(format.timestamp(), format.json());
    const log = createLogger({ format: json, transports: [new transports.Console()] });
    log.info("job began", { id });
    log.error("job failed", { id });
  }
}
