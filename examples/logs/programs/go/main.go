// Writes two lines with the library that its argument names.
package main

import (
	"log/slog"
	"os"

	"github.com/rs/zerolog"
	"github.com/sirupsen/logrus"
	"go.uber.org/zap"
	"k8s.io/klog/v2"
)

func main() {
	switch os.Args[1] {
	case "slog-text", "slog-json":
		var handler slog.Handler = slog.NewTextHandler(os.Stdout, nil)
		if os.Args[1] == "slog-json" {
			handler = slog.NewJSONHandler(os.Stdout, nil)
		}
		log := slog.New(handler)
		log.Info("job began", "id", 7)
		log.Error("job failed", "id", 7, "err", "no such account")
	case "zap":
		log, _ := zap.NewProduction(zap.AddStacktrace(zap.PanicLevel))
		log.Info("job began", zap.Int("id", 7))
		log.Error("job failed", zap.Int("id", 7))
	case "zap-console":
		log, _ := zap.NewDevelopment(zap.AddStacktrace(zap.PanicLevel))
		log.Info("job began", zap.Int("id", 7))
		log.Error("job failed", zap.Int("id", 7))
	case "zerolog":
		log := zerolog.New(os.Stderr).With().Timestamp().Logger()
		log.Info().Int("id", 7).Msg("job began")
		log.Error().Int("id", 7).Msg("job failed")
	case "logrus":
		logrus.WithField("id", 7).Info("job began")
		logrus.WithField("id", 7).Error("job failed")
	case "klog":
		klog.InfoS("Job began", "id", 7)
		klog.Errorf("job %d failed", 7)
		klog.Flush()
	}
}
